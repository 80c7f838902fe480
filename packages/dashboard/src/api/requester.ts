/** One request to the service: the answer, a refusal with its problem document, or the fact that nobody answered. */
import { ApiProblem, ServiceAway } from './api-failure.ts'
import type { Problem } from './api-resources.ts'

const TIMEOUT_MS = 10_000
const AWAY =
  'Drover does not respond. Check that it is running and that this address is right. Transactions are safe: Drover continues where it left off.'

/** A part is down, and the rest of the page is still true. */
const PARTS: readonly Problem['code'][] = ['chain_unavailable', 'timers_unavailable', 'too_many_waiting']

export type Requester = ReturnType<typeof createRequester>

export function createRequester(send: typeof fetch) {
  return {
    get: async <T>(path: string): Promise<T> => readAnswer<T>(await ask(send, path, {})),
    /** With a body where there is one. */
    call: async <T>(
      method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
      path: string,
      body?: unknown,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<T> => {
      const sent = { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
      return readAnswer<T>(await ask(send, path, { method, headers, ...(body !== undefined && sent) }))
    },
    ask: (path: string) => ask(send, path, {}),
    readAnswer,
  }
}

async function ask(send: typeof fetch, path: string, init: RequestInit): Promise<Response> {
  try {
    return await send(path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
  } catch (error) {
    throw new ServiceAway(AWAY, { cause: error })
  }
}

/** The page trusts the shape: it is served by the same process that answers. */
async function readAnswer<T>(response: Response): Promise<T> {
  const body = await readJson(response)
  if (response.ok) return body as T
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json') ?? false
  if (!isProblem) throw new ServiceAway(`A proxy in front of Drover answered with status ${response.status}.`)
  const problem = body as Problem
  if (response.status === 503 && !PARTS.includes(problem.code)) throw new ServiceAway(problem.detail)
  throw new ApiProblem(problem)
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch (error) {
    throw new ServiceAway(`The response (status ${response.status}) is incomplete or not from Drover.`, {
      cause: error,
    })
  }
}
