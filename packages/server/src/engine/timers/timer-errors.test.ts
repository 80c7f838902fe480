import { expect, test } from 'vitest'
import { explainRefusal } from './timer-errors.ts'

const explain = (message: string) => explainRefusal({ type: 'refused', code: 'ERR_INVALID_PARAM', message })

test('what the kernel refuses is named as in the request', () => {
  expect(explain('dueHeight must be at least 227')).toMatchObject({
    code: 'invalid_request',
    message: 'schedule.height must be at least 227.',
    details: { field: 'schedule.height' },
  })
  expect(explain('payload must be at most 16384 bytes')).toMatchObject({ details: { field: 'data' } })
  expect(explain('maxFiresPerBlock must be a number')).toMatchObject({
    message: 'maxFiresPerBlock must be a number.',
    details: { field: 'maxFiresPerBlock' },
  })
})

test('a limit of the chain is named, with the field and what to do', () => {
  const quota = (message: string) => explainRefusal({ type: 'refused', code: 'ERR_QUOTA_EXCEEDED', message })
  expect(quota('too many timers watch 0xab')).toMatchObject({
    code: 'timer_limit',
    message: expect.stringMatching(
      /^Too many timers watch 0xab\. The limit is the parameter maxWatchersPerPrefix .* raise it\.$/,
    ),
    details: { field: 'schedule', bound: 'maxWatchersPerPrefix' },
  })
  const others = 'others hold as many timers on the target as they may'
  expect(quota(others)).toMatchObject({ details: { field: 'to', bound: 'maxTimersPerTarget' } })
  expect(quota('the owner holds too many timers')).toMatchObject({ details: { field: 'from' } })
})

test('a reason that names no field is a sentence', () => {
  const error = explain('the height of the call has passed')
  expect(error.message).toBe('The height of the call has passed.')
  expect(error.details).not.toHaveProperty('field')
})
