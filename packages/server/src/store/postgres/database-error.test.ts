import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import { StoreUnavailable } from '../../ports/store.ts'
import { describeRefusal, isOutage, isRefusal, translateError } from './database-error.ts'

function fail(code: string, fields: Partial<DatabaseError> = {}): DatabaseError {
  return Object.assign(new DatabaseError('it failed', 0, 'error'), { code, ...fields })
}

test.each(['08006', '57P01', '57P02', '57P03', '57014', '40001', '40P01', '53300', '25006', '25P03', '55P03', '58030'])(
  '%s means: not now',
  (code) => {
    expect(translateError(fail(code))).toBeInstanceOf(StoreUnavailable)
    expect(isRefusal(fail(code))).toBe(false)
  },
)

test.each(['23505', '23514', '22003', '22P02', '54000'])('%s blames what was sent', (code) => {
  const error = fail(code)
  expect(isRefusal(error)).toBe(true)
  expect(translateError(error)).toBe(error)
})

test.each(['42P01', '42601', 'XX000', '28P01'])('%s is passed on as it is', (code) => {
  const error = fail(code)
  expect(isRefusal(error)).toBe(false)
  expect(translateError(error)).toBe(error)
})

test.each(['08006', '57P01', '57P03', '58030'])('%s means that the database is down', (code) => {
  expect(isOutage(fail(code))).toBe(true)
})

// One slow statement of one caller must not look like an outage to all others.
test.each(['57014', '40001', '53300', '55P03'])('%s does not mean that the database is down', (code) => {
  expect(isOutage(fail(code))).toBe(false)
})

test('a broken connection is not now; a mistake of ours stays one', () => {
  expect(translateError(new Error('Connection terminated unexpectedly'))).toBeInstanceOf(StoreUnavailable)
  const mistake = new TypeError('x is not a function')
  expect(translateError(mistake)).toBe(mistake)
})

test('a refusal names the constraint and never quotes the row', () => {
  const error = fail('23514', { constraint: 'never_goes_back', detail: 'Failing row contains (secret).' })
  expect(describeRefusal(error)).toBe('23514 never_goes_back it failed')
})
