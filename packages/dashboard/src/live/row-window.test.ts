import { expect, test } from 'vitest'
import { createRowWindow } from './row-window.ts'

/** A list of numbered rows, newest first, read by "everything below this number". */
function createList(count: number) {
  const state = { newest: count, reads: 0 }
  const window = createRowWindow<{ readonly id: string; readonly text: string }>({
    pageSize: 10,
    keptPages: 3,
    load: async (after) => {
      state.reads += 1
      const from = after === null ? state.newest : Number(after) - 1
      const length = Math.min(10, from)
      const items = Array.from({ length }, (_, index) => ({ id: String(from - index), text: `at ${state.reads}` }))
      return { items, next: from > 10 ? String(from - 9) : null }
    },
  })
  return { state, window }
}

test('a list is known as far as it was scrolled, and ends where it ends', async () => {
  const { window } = createList(25)
  await window.ensure(0, 9)
  expect([window.count(), window.isEndKnown()]).toEqual([20, false])
  await window.ensure(10, 19)
  await window.ensure(20, 29)
  expect([window.count(), window.isEndKnown()]).toEqual([25, true])
  expect(window.row(24)).toMatchObject({ id: '1' })
  expect(window.row(25)).toBeNull()
})

test('100,000 rows are walked with a few pages in memory, and the way back reads them again', async () => {
  const { state, window } = createList(100_000)
  let most = 0
  for (let row = 0; row < 100_000; row += 10) {
    await window.ensure(row, row + 9)
    most = Math.max(most, window.keptRows())
  }
  expect(most).toBeLessThanOrEqual(40)
  expect(window.keptRows()).toBeLessThanOrEqual(30)
  expect(window.row(99_999)).toMatchObject({ id: '1' })
  expect(window.row(0)).toBeNull()
  const before = state.reads
  await window.ensure(0, 9)
  expect(state.reads).toBe(before + 1)
  expect(window.row(0)).toMatchObject({ id: '100000' })
  expect(window.count()).toBe(100_000)
})

test('at the top new rows come in; what was known below them is read anew', async () => {
  const { state, window } = createList(30)
  await window.ensure(0, 19)
  await window.ensure(10, 19)
  state.newest = 33
  expect(await window.refresh(0, 9, true)).toBe(0)
  expect(window.row(0)).toMatchObject({ id: '33' })
  expect(window.row(10)).toBeNull()
  await window.ensure(10, 19)
  expect(window.row(10)).toMatchObject({ id: '23' })
})

test('away from the top nothing moves: rows are fresh, and new ones are counted', async () => {
  const { state, window } = createList(30)
  await window.ensure(0, 9)
  state.newest = 33
  expect(await window.refresh(0, 9, false)).toBe(3)
  expect(window.row(0)).toMatchObject({ id: '30', text: 'at 2' })
  state.newest = 60
  expect(await window.refresh(0, 9, false)).toBe(10)
  expect(window.row(9)).toMatchObject({ id: '21' })
})

test('two readers of one page share one read', async () => {
  const { state, window } = createList(30)
  await Promise.all([window.ensure(0, 9), window.ensure(0, 9)])
  expect(state.reads).toBe(1)
})
