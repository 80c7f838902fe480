import { expect, test } from 'vitest'
import { timerChange, timerRequest } from './timer-request.ts'

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
