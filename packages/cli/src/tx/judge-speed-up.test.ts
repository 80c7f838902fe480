import { expect, test } from 'vitest'
import { isAtLimit, judgeSpeedUp } from './judge-speed-up.ts'

const entry = (type: string, cause: string | null = null, detail = {}) => ({ type, cause, detail })
const ORDER = entry('operator.sped_up')
const REFUSAL = entry('bump.refused', 'bump_unaffordable', { message: 'it costs too much' })
const CAPPED = entry('fee.capped', 'fee_above_cap')

test('an order that nobody has decided yet', () => {
  expect(judgeSpeedUp([])).toBeNull()
  expect(judgeSpeedUp([entry('attempt.added'), ORDER, entry('broadcast.answered')])).toBeNull()
})

test('what came of the last order counts, not of those before', () => {
  expect(judgeSpeedUp([ORDER, REFUSAL])).toEqual({ type: 'refused', message: 'it costs too much' })
  expect(judgeSpeedUp([ORDER, REFUSAL, ORDER])).toBeNull()
  expect(judgeSpeedUp([ORDER, REFUSAL, ORDER, entry('attempt.added')])).toEqual({ type: 'signed' })
})

test('an order above the limit stands until it is signed or refused', () => {
  expect(judgeSpeedUp([ORDER, CAPPED])).toEqual({ type: 'above_limit' })
  expect(judgeSpeedUp([ORDER, CAPPED, entry('attempt.added')])).toEqual({ type: 'signed' })
  expect(judgeSpeedUp([ORDER, CAPPED, REFUSAL])).toMatchObject({ type: 'refused' })
  expect(judgeSpeedUp([ORDER, entry('attempt.added'), CAPPED])).toEqual({ type: 'signed' })
})

test('a transaction that was at its limit before the order is still there: no second event says so', () => {
  const tx = { subState: 'pending', error: null, inclusion: null }
  const capped = { ...tx, error: { code: 'fee_above_cap' } }
  expect(isAtLimit(capped, [ORDER])).toBe(true)
  expect(isAtLimit({ ...tx, subState: 'fee_above_cap' }, [ORDER])).toBe(true)
  const outbid = { ...tx, error: { code: 'underpriced' } }
  expect(isAtLimit(outbid, [entry('attempt.added'), CAPPED, ORDER])).toBe(true)
  expect(isAtLimit(outbid, [CAPPED, entry('attempt.added'), ORDER])).toBe(false)
  expect(isAtLimit(outbid, [CAPPED, REFUSAL, ORDER])).toBe(false)
  expect(isAtLimit(tx, [ORDER])).toBe(false)
  expect(isAtLimit({ ...capped, inclusion: { blockNumber: 7 } }, [CAPPED, ORDER])).toBe(false)
})
