import { expect, test } from 'vitest'
import type { Queued } from '../../core/transaction/transaction.ts'
import { queued } from '../../testing/core/sample-transactions.ts'
import type { Preparation } from './prepare.ts'
import { createSignAhead, MAX_SIGNING, type Ready } from './sign-ahead.ts'

const FEES = { type: 'legacy', gasPrice: 1n } as const
const LINE = { free: [], next: 5, room: 100, available: null }

function ready(id: string, change: Partial<Queued['intent']> = {}): Ready {
  const tx = queued({ id })
  return { type: 'ready', tx: { ...tx, intent: { ...tx.intent, ...change } }, gasLimit: 1n, fees: FEES }
}

/** Signs only when told to, and counts how many wait. */
function setUp(preparations: readonly Preparation[]) {
  const asked: string[] = []
  const waiting: (() => void)[] = []
  let most = 0
  const ahead = createSignAhead(preparations, {
    costOf: () => 10n,
    mayGo: ({ gasLimit }) => gasLimit < 9n,
    sign: async ({ tx }, nonce) => {
      asked.push(`${tx.id}${nonce}`)
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        most = Math.max(most, waiting.length)
      })
      return `${tx.id}${nonce}`
    },
  })
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  return { ahead, asked, answer, most: () => most }
}

test('signs so many at the same time and no more, and gives each its own in order', async () => {
  const all = Array.from({ length: 2 * MAX_SIGNING + 1 }, (_, index) => ready(`t${index}-`))
  const { ahead, answer, most } = setUp(all)
  const signed: string[] = []
  for (const [index, each] of all.entries()) {
    const one = ahead.sign(each, 5 + index, { ...LINE, next: 5 + index })
    await Promise.resolve()
    answer()
    signed.push(await one)
  }
  expect(signed).toEqual(all.map(({ tx }, index) => `${tx.id}${5 + index}`))
  expect(most()).toBe(MAX_SIGNING)
})

test('a wrong guess is dropped, and the transaction is signed with its own nonce', async () => {
  const [a, b, c] = [ready('a'), ready('b'), ready('c')]
  const { ahead, asked, answer } = setUp([a, b, c])
  const first = ahead.sign(a, 5, LINE)
  await Promise.resolve()
  answer()
  expect(await first).toBe('a5')
  // `b` was suspended meanwhile, so `c` gets the nonce that was expected for it.
  const third = ahead.sign(c, 6, { ...LINE, next: 6 })
  await Promise.resolve()
  await Promise.resolve()
  answer()
  await Promise.resolve()
  answer()
  expect(await Promise.race([third, new Promise((resolve) => setImmediate(() => resolve(answer())))])).toBeDefined()
  expect(await third).toBe('c6')
  expect(asked).toEqual(['a5', 'b6', 'c7', 'c6'])
})

test('free nonces come first; without room or money nothing is signed ahead, and never one that wants its own nonce', async () => {
  const guess = async (
    preparations: readonly Ready[],
    line: Partial<typeof LINE> & { available?: bigint },
    nonce = 5,
  ) => {
    const [first] = preparations
    const { ahead, asked, answer } = setUp(preparations)
    if (first === undefined) throw new Error('nothing to sign')
    const signed = ahead.sign(first, nonce, { ...LINE, ...line })
    await Promise.resolve()
    answer()
    await signed
    return asked
  }
  const three = ['a', 'b', 'c'].map((id) => ready(id))
  expect(await guess(three, { free: [2, 4] as never, next: 9 }, 2)).toEqual(['a2', 'b4', 'c9'])
  expect(await guess(three, { room: 1 })).toEqual(['a5'])
  expect(await guess(three, { room: 0 })).toEqual(['a5'])
  expect(await guess(three, { available: 20n as never })).toEqual(['a5', 'b6'])
  expect(await guess([ready('a'), ready('b', { exactNonce: 6 }), ready('c')], {})).toEqual(['a5', 'c6'])
  expect(await guess([ready('a', { exactNonce: 5 }), ready('b')], {})).toEqual(['a5'])
  const dear = { ...ready('b'), gasLimit: 9n }
  expect(await guess([ready('a'), dear, ready('c')], {})).toEqual(['a5', 'c6'])
  expect(await guess([dear, ready('c')], {})).toEqual(['b5'])
})
