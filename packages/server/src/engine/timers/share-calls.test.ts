import { expect, test } from 'vitest'
import { StoreUnavailable } from '../../ports/store.ts'
import { shareCalls } from './share-calls.ts'

/** Each call waits until it is let go. */
function setUp(refused: (item: string) => Error | null = () => null) {
  const calls: (readonly string[])[] = []
  let letGo = (): void => {}
  const add = shareCalls<string, string>({
    maxBatch: 3,
    maxWaiting: 4,
    refuse: () => new Error('full'),
    run: async (items) => {
      calls.push(items)
      await new Promise<void>((resolve) => {
        letGo = resolve
      })
      for (const item of items) {
        const error = refused(item)
        if (error !== null) throw error
      }
      return items.map((item) => item.toUpperCase())
    },
  })
  const next = async () => {
    letGo()
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  return { add, calls, next }
}

test('what arrives together leaves together, and what arrives meanwhile leaves with the next call', async () => {
  const { add, calls, next } = setUp()
  const first = [add('a'), add('b')]
  await next()
  const later = [add('c'), add('d'), add('e'), add('f')]
  await expect(add('g')).rejects.toThrow('full')
  for (let call = 0; call < 3; call++) await next()
  expect(await Promise.all([...first, ...later])).toEqual(['A', 'B', 'C', 'D', 'E', 'F'])
  expect(calls).toEqual([['a', 'b'], ['c', 'd', 'e'], ['f']])
})

test('one that is refused does not fail the others', async () => {
  const { add, next } = setUp((item) => (item === 'b' ? new Error('bad') : null))
  const all = Promise.allSettled([add('a'), add('b'), add('c')])
  for (let call = 0; call < 5; call++) await next()
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('while the database is away, all of a call fail at once', async () => {
  const { add, calls, next } = setUp(() => new StoreUnavailable('away'))
  const all = Promise.allSettled([add('a'), add('b')])
  await next()
  await next()
  expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(calls).toHaveLength(1)
})
