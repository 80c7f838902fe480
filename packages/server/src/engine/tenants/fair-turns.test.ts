import { expect, test } from 'vitest'
import { AppError } from '../../core/app-error.ts'
import { createFairTurns } from './fair-turns.ts'
import type { Tenant } from './tenant-pool.ts'

/** Tasks that end when told to; `begun` names them in the order of their turns. */
function create(maxRunning: number, maxWaiting = 1_000) {
  const turns = createFairTurns({
    what: 'calls',
    maxRunning,
    maxWaiting,
    whenFull: () => new AppError('overloaded', 'full'),
  })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const add = (tenant: Tenant, name: string) =>
    turns.run(tenant, () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.push(() => resolve(name)))
    })
  const endFirst = async (): Promise<void> => {
    ends.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { add, begun, endFirst }
}

test('a flood of one tenant leaves turns free for another, which waits for nothing [G12]', async () => {
  const { add, begun } = create(8)
  for (let count = 0; count < 100; count++) void add('flood', `flood ${count}`)
  void add('other', 'other')
  expect(begun).toEqual(['flood 0', 'flood 1', 'flood 2', 'flood 3', 'other'])
})

test('where all turns are taken, each tenant gets the next one in rotation', async () => {
  const { add, begun, endFirst } = create(2)
  for (const tenant of ['a', 'b']) for (let count = 0; count < 3; count++) void add(tenant, `${tenant}${count}`)
  void add('c', 'c0')
  expect(begun).toEqual(['a0', 'b0'])
  for (let count = 0; count < 6; count++) await endFirst()
  expect(begun.slice(0, 5).sort()).toEqual(['a0', 'a1', 'b0', 'b1', 'c0'])
  expect(begun).toHaveLength(7)
})

test('waiting calls are bounded, one tenant to half', async () => {
  const { add } = create(2, 10)
  void add('a', 'running')
  const own = Array.from({ length: 5 }, (_, count) => add('a', String(count)))
  await expect(add('a', 'more')).rejects.toMatchObject({ code: 'tenant_limit', details: { bound: 'calls', limit: 5 } })
  void add('b', 'running')
  for (let count = 0; count < 5; count++) void add('b', String(count))
  await expect(add('c', 'none left')).rejects.toMatchObject({ code: 'overloaded' })
  expect(own).toHaveLength(5)
})

test('the only tenant of a service without keys has all turns; one that fails gives its turn back', async () => {
  const { add, begun, endFirst } = create(2)
  for (let count = 0; count < 3; count++) void add(null, String(count))
  expect(begun).toEqual(['0', '1'])
  await endFirst()
  expect(begun).toEqual(['0', '1', '2'])
  const turns = createFairTurns({ what: 'x', maxRunning: 1, maxWaiting: 1, whenFull: () => new Error('full') })
  await expect(turns.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await turns.run('a', async () => 'next')).toBe('next')
})
