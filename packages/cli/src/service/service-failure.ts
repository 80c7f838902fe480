/** A refusal by the service, or a failure to reach it: as an exit code, and in words or JSON. */
import type { DroverError } from '@drover/client'
import { EXIT, type ExitCode } from '../exit-code.ts'

const BY_CODE: Readonly<Record<string, ExitCode>> = {
  network_error: EXIT.unreachable,
  timeout: EXIT.unreachable,
  invalid_argument: EXIT.usage,
  invalid_request: EXIT.usage,
  wait_timeout: EXIT.timedOut,
  transaction_reverted: EXIT.transactionFailed,
  transaction_stuck: EXIT.transactionFailed,
  transaction_cancelled: EXIT.transactionFailed,
  transaction_expired: EXIT.transactionFailed,
  unexpected_answer: EXIT.failure,
}

export function exitCodeOf({ code, status = 0 }: Pick<DroverError, 'code' | 'status'>): ExitCode {
  const known = BY_CODE[code]
  if (known !== undefined) return known
  if (status === 404) return EXIT.notFound
  if (status === 429 || status >= 500) return EXIT.unreachable
  return status >= 400 ? EXIT.refused : EXIT.failure
}

export function presentFailure(error: DroverError, url: string): string {
  const lines = [`${error.code}: ${error.detail}`]
  if (error.reason !== undefined && !error.detail.includes(error.reason)) lines.push(`  reason: ${error.reason}`)
  const issues = error.problem?.issues ?? []
  if (issues.length > 1) lines.push(...issues.map(({ field, message }) => `  ${field} ${message}`))
  const advice = adviseOn(error, url)
  if (advice !== null) lines.push(`  ${advice}`)
  return lines.join('\n')
}

function adviseOn({ code, status, detail }: DroverError, url: string): string | null {
  if (code === 'network_error' && /certificate/i.test(detail)) {
    return 'If its authority is your own, name its file in NODE_EXTRA_CA_CERTS.'
  }
  if (code === 'network_error' || code === 'timeout') {
    return `Is the service running at ${url}? Set its URL with --url or DROVER_URL, or run \`drover doctor\` to find the cause.`
  }
  if (status === 401) return 'Set an API key with DROVER_API_KEY or --api-key-file.'
  return null
}

export function presentFailureJson(error: DroverError): string {
  const { code, status, detail, field, reason, requestId, retryAfterMs } = error
  const issues = error.problem?.issues
  return JSON.stringify({ error: { code, status, detail, field, reason, issues, requestId, retryAfterMs } })
}
