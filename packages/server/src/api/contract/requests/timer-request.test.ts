import { expect, test } from 'vitest'
import { timerChange, timerParamsChange, timerRequest } from './timer-request.ts'

const CONTRACT = `0x${'ab'.repeat(20)}`
const BASE = { from: `0x${'11'.repeat(20)}`, to: CONTRACT, data: '0x01' }

function problemsOf(body: Record<string, unknown>): readonly (readonly [string, string])[] {
  const { error } = timerRequest.safeParse({ ...BASE, ...body })
  return error?.issues.map(({ path, message }) => [path.join('.'), message] as const) ?? []
}

const watch = (...keys: readonly string[]) => ({ schedule: { type: 'watch', keys } })

test('raw keys may name a contract or its events, but not its storage', () => {
  expect(problemsOf(watch(CONTRACT, `${CONTRACT}01`, `${CONTRACT}01${'77'.repeat(32)}`))).toEqual([])
  expect(problemsOf(watch(`${CONTRACT}01`, `${CONTRACT}02${'00'.repeat(32)}`))).toEqual([
    ['schedule.keys.1', 'must continue with 01 after the address: watches see events, not storage slots'],
  ])
})

test('without rules of its own, a timer waits for funds, and goes on after reverts', () => {
  const schedule = { type: 'interval', blocks: 5 }
  expect(timerRequest.parse({ ...BASE, schedule })).toMatchObject({ onLowFunds: 'wait', maxFailures: 0 })
  const own = { onLowFunds: 'skip', maxFailures: 3 }
  expect(timerRequest.parse({ ...BASE, schedule, ...own })).toMatchObject(own)
})

test('a change may be of the schedule alone', () => {
  expect(timerChange.parse({ schedule: { type: 'timeout', blocks: 7 } })).toEqual({
    schedule: { type: 'timeout', blocks: 7 },
  })
  expect(timerChange.safeParse({}).success).toBe(false)
})

test('a condition compares one number: what does not fit in a word is refused', () => {
  const when = (signature: string, value: unknown = '0') => ({
    schedule: { type: 'interval', blocks: 5 },
    when: { function: signature, is: 'eq', value },
  })
  for (const type of ['string', 'bytes', 'uint256[]', 'uint8[2]', '(uint256,uint256)'])
    expect(problemsOf(when(`f() returns (${type})`)), type).toEqual([
      ['when.function', expect.stringContaining('which cannot be compared')],
    ])
  for (const type of ['uint256', 'int8', 'bool', 'address', 'bytes32', 'uint256,string'])
    expect(problemsOf(when(`f() returns (${type})`)), type).toEqual([])
  expect(problemsOf(when('f()'))).toEqual([])
  expect(problemsOf(when('f()', '0.5'))).toEqual([
    ['when.value', 'must be a whole number, preferably as a string, or true or false'],
  ])
})

test('an event that cannot be watched by its arguments is refused, with the field', () => {
  const watchEvent = (event: string, args: readonly unknown[] = []) =>
    problemsOf({ schedule: { type: 'watch', contract: CONTRACT, event, args } })
  const hashed = expect.stringContaining('cannot be an array or a tuple')
  expect(watchEvent('T(uint256[] indexed a)', [[1]])).toEqual([['schedule.args.0', hashed]])
  expect(watchEvent('T(address indexed a, (uint256 x) indexed b)', [CONTRACT, [1]])).toEqual([
    ['schedule.args.1', hashed],
  ])
  expect(watchEvent('T(address indexed a, (uint256 x) indexed b)', [CONTRACT])).toEqual([])
  expect(watchEvent('T(uint8 indexed a, uint8 indexed b, uint8 indexed c, uint8 indexed d)')).toEqual([
    ['schedule.event', 'must have at most 3 indexed arguments, as Solidity allows'],
  ])
  expect(watchEvent('T(')).toEqual([['schedule.event', expect.stringMatching(/[^.]$/)]])
})

test('arguments of an event go with the event, not with raw keys', () => {
  const schedule = { type: 'watch', keys: [CONTRACT], args: ['1'] }
  expect(problemsOf({ schedule })).toEqual([['schedule.keys', 'cannot be used with contract, event or args']])
})

test('a parameter that is no number is refused in words', () => {
  const { error } = timerParamsChange.safeParse({ maxFiresPerBlock: 'many' })
  expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringContaining('must be a whole number')])
})
