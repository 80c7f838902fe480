import { expect, test } from 'vitest'
import { judgeSpeedUp } from './judge-speed-up.ts'

const entry = (type: string, cause: string | null = null, detail = {}) => ({ type, cause, detail })
const ORDER = entry('operator.sped_up')

test('an order that nobody has decided yet', () => {
  expect(judgeSpeedUp([])).toBeNull()
  expect(judgeSpeedUp([entry('attempt.added'), ORDER, entry('broadcast.answered')])).toBeNull()
})

test('what came of the last order counts, not of those before', () => {
  const refusal = entry('bump.refused', 'bump_unaffordable', { message: 'it costs too much' })
  expect(judgeSpeedUp([ORDER, refusal])).toEqual({ type: 'refused', message: 'it costs too much' })
  expect(judgeSpeedUp([ORDER, entry('fee.capped', 'fee_above_cap')])).toEqual({
    type: 'refused',
    message: 'fee above cap',
  })
  expect(judgeSpeedUp([ORDER, refusal, ORDER])).toBeNull()
  expect(judgeSpeedUp([ORDER, refusal, ORDER, entry('attempt.added')])).toEqual({ type: 'signed' })
})
