import { expect, test } from 'vitest'
import { createReadTogether } from './read-together.ts'

/** A read that is answered by hand. */
function open(bounds?: { readonly most: number; readonly atOnce: number }) {
  const statements: { readonly keys: readonly number[]; answer(): void; fail(): void }[] = []
  const arrivals: (() => void)[] = []
  const ask = createReadTogether<number, string>(
    (keys) =>
      new Promise((resolve, reject) => {
        statements.push({
          keys,
          answer: () => resolve(keys.map((key) => `value ${key}`)),
          fail: () => reject(new Error('down')),
        })
        arrivals.shift()?.()
      }),
    bounds,
  )
  const next = () => new Promise<void>((resolve) => arrivals.push(resolve))
  return { ask, statements, next }
}

test('what is asked for in the same turn is one statement, and each gets its own answer', async () => {
  const { ask, statements, next } = open()
  const arrived = next()
  const answers = Promise.all([3, 1, 2].map(ask))
  await arrived
  statements[0]?.answer()
  expect(await answers).toEqual(['value 3', 'value 1', 'value 2'])
  expect(statements.map(({ keys }) => keys)).toEqual([[3, 1, 2]])
})

test('statements are bounded in length and in number, and what waits goes with the next one', async () => {
  const { ask, statements, next } = open({ most: 2, atOnce: 1 })
  const first = next()
  const answers = Promise.all([1, 2, 3].map(ask))
  await first
  const late = ask(4)
  expect(statements.map(({ keys }) => keys)).toEqual([[1, 2]])
  const second = next()
  statements[0]?.answer()
  await second
  expect(statements.map(({ keys }) => keys)).toEqual([
    [1, 2],
    [3, 4],
  ])
  statements[1]?.answer()
  expect(await answers).toEqual(['value 1', 'value 2', 'value 3'])
  expect(await late).toBe('value 4')
})

test('a statement that fails fails those that asked, and nobody after them', async () => {
  const { ask, statements, next } = open({ most: 1, atOnce: 1 })
  const first = next()
  const lost = expect(ask(1)).rejects.toThrow('down')
  await first
  const kept = ask(2)
  const second = next()
  statements[0]?.fail()
  await lost
  await second
  statements[1]?.answer()
  expect(await kept).toBe('value 2')
})
