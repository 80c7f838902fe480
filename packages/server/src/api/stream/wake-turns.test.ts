import { expect, test } from 'vitest'
import { createWakeTurns } from './wake-turns.ts'

/** Turns are given one by one, by hand. */
function setUp() {
  const asked: { readonly tenant: string | null; start(): void }[] = []
  const turns = createWakeTurns({
    begin: (tenant) => new Promise((resolve) => asked.push({ tenant, start: () => resolve(() => {}) })),
  })
  const listeners = new Set<() => void>()
  const woken: string[] = []
  const open = (tenant: string, name: string) =>
    turns.follow(
      tenant,
      () => woken.push(name),
      (onNews) => {
        listeners.add(onNews)
        return () => void listeners.delete(onNews)
      },
    )
  const news = (): void => {
    for (const listener of [...listeners]) listener()
  }
  const next = async (): Promise<void> => {
    asked.shift()?.start()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const openMany = (tenant: string, count: number) =>
    Array.from({ length: count }, (_, index) => open(tenant, `${tenant}${index}`))
  const take = () => woken.splice(0)
  return { open, openMany, news, next, take, turnsAsked: () => asked.length }
}

const names = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `many${from + index}`)

test('a few streams are woken at once', () => {
  const { open, news, take, turnsAsked } = setUp()
  open('a', 'first')
  open('a', 'second')
  news()
  expect([take(), turnsAsked()]).toEqual([['first', 'second'], 0])
})

test('of many streams a few are woken per turn, in order, and those of another tenant before them', async () => {
  const { open, openMany, news, next, take, turnsAsked } = setUp()
  openMany('many', 40)
  open('other', 'other')
  news()
  expect(take()).toEqual(['other'])
  await next()
  expect(take()).toEqual(names(0, 16))
  // What is new meanwhile does not wake twice who still waits, and wakes again who was woken before.
  news()
  expect([take(), turnsAsked()]).toEqual([['other'], 1])
  await next()
  expect(take()).toEqual(names(16, 32))
  await next()
  expect(take()).toEqual([...names(32, 40), ...names(0, 8)])
  await next()
  expect(take()).toEqual(names(8, 16))
  expect(turnsAsked()).toBe(0)
})

test('a stream that has ended is not woken, and its place in line costs nothing', async () => {
  const { openMany, news, next, take, turnsAsked } = setUp()
  const ends = openMany('many', 20)
  news()
  for (const end of ends.slice(0, 18)) end()
  await next()
  expect([take(), turnsAsked()]).toEqual([['many18', 'many19'], 0])
  // Two are left, which is a few.
  news()
  expect([take(), turnsAsked()]).toEqual([['many18', 'many19'], 0])
})
