/** Posts spans to a collector by OTLP/HTTP. Its URL may hold a secret, so a reason names a code and never the URL. */
import { toOtlpBody } from './otlp-body.ts'
import type { PostTraces } from './trace-sender.ts'

const TIMEOUT_MS = 5_000
const TOO_MANY_REQUESTS = 429

export function createPostTraces(url: string, nodeId: string): PostTraces {
  return async (spans) => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: toOtlpBody(spans, nodeId),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await response.body?.cancel()
      if (response.ok) return { type: 'sent' }
      const mayPass = response.status >= 500 || response.status === TOO_MANY_REQUESTS
      return { type: mayPass ? 'failed' : 'refused', why: `HTTP ${response.status}` }
    } catch (error) {
      return { type: 'failed', why: nameFailure(error) }
    }
  }
}

/** Messages of network errors may repeat the URL, codes do not. */
function nameFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer'
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1_000} s`
  const { code } = (error.cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' ? code : 'the request failed'
}
