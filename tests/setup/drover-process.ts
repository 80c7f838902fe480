/** Starts the real service as its own process, talks to it over HTTP, and kills it with real signals. */
import { inject } from 'vitest'
import './compile.ts'
import './postgres.ts'
import { type LaunchedProcess, launchProcess } from './launch-process.ts'

export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever JSON comes back
  readonly body: any
}

export interface DroverProcess {
  readonly pid: number
  readonly url: string
  readonly nodeId: string
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
  get(path: string): Promise<HttpAnswer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
  signal(signal: NodeJS.Signals): void
  /** Sends a signal and waits for the exit; returns the exit code, or null if the signal ended it. */
  end(signal?: NodeJS.Signals): Promise<number | null>
  output(): string
}

export function launchDrover(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = '/',
  main: string = inject('droverMain'),
): LaunchedProcess {
  return launchProcess([main, ...args], { ...poolerOf(env), ...env }, cwd)
}

/** Of a run behind PgBouncer. A database that is reached in another way, such as through a relay, is left alone. */
function poolerOf({ DROVER_DATABASE_URL: databaseUrl }: Record<string, string>): Record<string, string> {
  const port = inject('poolerPort')
  if (port === null || databaseUrl === undefined) return {}
  const url = new URL(databaseUrl)
  if (url.host !== new URL(inject('databaseAdminUrl')).host) return {}
  url.port = port
  return { DROVER_DATABASE_POOLER_URL: url.href }
}

export interface StartOptions {
  readonly databaseUrl: string
  /** Absent if the configuration file names the chains. */
  readonly rpcUrl?: string
  readonly signerKeys: readonly string[]
  readonly env?: Record<string, string>
  /** Another version of the service; default: this one. */
  readonly main?: string
}

/** `drover start`, ready. The port is any free one. */
export async function startDrover(options: StartOptions): Promise<DroverProcess> {
  const env = {
    DROVER_DATABASE_URL: options.databaseUrl,
    ...(options.rpcUrl !== undefined && { DROVER_RPC_URL: options.rpcUrl }),
    DROVER_SIGNER_KEYS: options.signerKeys.join(','),
    DROVER_PORT: '0',
    // No effect once there is an API key.
    DROVER_OPEN: 'true',
    ...(options.rpcUrl !== undefined && { DROVER_POLL_INTERVAL: '100ms' }),
    ...options.env,
  }
  const launched = launchDrover(['start'], env, '/', options.main)
  const line = await launched.lineWhere((text) => text.includes('Drover is ready'))
  const { url, nodeId } = JSON.parse(line) as { url: string; nodeId: string }

  async function request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer> {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    // Only the log explains a bug, so it goes into the error.
    if (response.status === 500) throw new Error(`${method} ${path} answered 500; the log says:\n${launched.output()}`)
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  return {
    pid: launched.child.pid ?? 0,
    url,
    nodeId,
    request,
    get: (path) => request('GET', path),
    post: (path, body, headers) => request('POST', path, body, headers),
    signal: (signal) => void launched.child.kill(signal),
    end: (signal = 'SIGTERM') => {
      launched.child.kill(signal)
      return launched.exited
    },
    output: launched.output,
  }
}
