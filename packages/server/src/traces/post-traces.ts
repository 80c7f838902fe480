/** Posts spans to a collector by OTLP/HTTP. Its URL may hold a secret, so no error says it. */
import { toOtlpBody } from './otlp-body.ts'
import type { PostTraces } from './trace-sender.ts'

const TIMEOUT_MS = 5_000
const TOO_MANY_REQUESTS = 429

export function createPostTraces(url: string, nodeId: string): PostTraces {
  return async (spans) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: toOtlpBody(spans, nodeId),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => null)
    if (response === null) return 'failed'
    await response.body?.cancel()
    if (response.ok) return 'sent'
    return response.status >= 500 || response.status === TOO_MANY_REQUESTS ? 'failed' : 'refused'
  }
}
