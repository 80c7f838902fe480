import { expect, test } from 'vitest'
import { createBoard, type Goal, type RowStatus } from './board.ts'

const row = { row: 1, line: 2, digest: 'd', requestId: 'r', from: '0x01', id: 'a', hash: '0xaa', error: null }

/** With one row: what the counts say of it, and whether the batch still waits for it. */
function judge(goal: Goal, status: Pick<RowStatus, 'state' | 'mined'>) {
  const board = createBoard(1, goal)
  board.set({ ...row, ...status })
  const { mined, confirmed, failed, stuck } = board.counts()
  return { mined, confirmed, failed, stuck, open: board.open().length }
}

test('a reverted row counts as failed: at once if the batch waits for mined, else once it is final', () => {
  const reverted = { state: 'TRACKING', mined: 'reverted' } as const
  expect(judge('mined', reverted)).toEqual({ mined: 1, confirmed: 0, failed: 1, stuck: 0, open: 0 })
  expect(judge('confirmed', reverted)).toEqual({ mined: 1, confirmed: 0, failed: 0, stuck: 0, open: 1 })
  const final = { state: 'FAILED_FINAL', mined: 'reverted' } as const
  expect(judge('confirmed', final)).toEqual({ mined: 1, confirmed: 0, failed: 1, stuck: 0, open: 0 })
})

test('a stuck row is open, and counted as stuck', () => {
  expect(judge('confirmed', { state: 'STUCK', mined: null })).toMatchObject({ failed: 0, stuck: 1, open: 1 })
})
