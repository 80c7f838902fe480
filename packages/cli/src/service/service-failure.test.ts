import { DroverError } from '@drover/client'
import { expect, test } from 'vitest'
import { EXIT } from '../exit-code.ts'
import { exitCodeOf, presentFailure, presentFailureJson } from './service-failure.ts'

test.each<[string, number | undefined, number]>([
  ['network_error', undefined, EXIT.unreachable],
  ['timeout', undefined, EXIT.unreachable],
  ['queue_full', 429, EXIT.unreachable],
  ['database_unavailable', 503, EXIT.unreachable],
  ['invalid_request', 400, EXIT.usage],
  ['invalid_argument', undefined, EXIT.usage],
  ['unauthorized', 401, EXIT.refused],
  ['forbidden', 403, EXIT.refused],
  ['not_found', 404, EXIT.notFound],
  ['idempotency_conflict', 409, EXIT.refused],
  ['transaction_rejected', 422, EXIT.refused],
  ['wait_timeout', undefined, EXIT.timedOut],
  ['transaction_reverted', undefined, EXIT.transactionFailed],
  ['unexpected_answer', 200, EXIT.failure],
])('%s (%s) ends with %i', (code, status, exit) => {
  expect(exitCodeOf({ code, status })).toBe(exit)
})

test('people see the reason and what to do; programs get one line of JSON', () => {
  const rejected = new DroverError({
    code: 'transaction_rejected',
    detail: 'It would fail.',
    status: 422,
    reason: 'not today',
  })
  expect(presentFailure(rejected, 'http://x')).toBe('transaction_rejected: It would fail.\n  reason: not today')
  expect(JSON.parse(presentFailureJson(rejected))).toEqual({
    error: { code: 'transaction_rejected', status: 422, detail: 'It would fail.', reason: 'not today' },
  })
  const lost = new DroverError({ code: 'network_error', detail: 'No answer came.' })
  expect(presentFailure(lost, 'http://x')).toContain('Is the service running at http://x?')
  const detail = 'No answer came: fetch failed (self-signed certificate).'
  const distrusted = new DroverError({ code: 'network_error', detail })
  expect(presentFailure(distrusted, 'https://x')).toContain('NODE_EXTRA_CA_CERTS')
})
