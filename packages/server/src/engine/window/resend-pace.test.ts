import { expect, test } from 'vitest'
import { createResendPace } from './resend-pace.ts'

/** At which of the heads it was sent. */
function sendAt(heads: readonly number[], take: (head: number) => boolean): readonly number[] {
  return heads.filter(take)
}

const blocks = (count: number) => Array.from({ length: count }, (_, head) => head)

test('a nonce that never shows is sent with each block at first, then less and less often', () => {
  const pace = createResendPace()
  expect(sendAt(blocks(40), (head) => pace.take([5], head, 5))).toEqual([0, 1, 2, 3, 5, 9, 17, 33])
})

test('batches that are refused in turn are each sent once per block', () => {
  const pace = createResendPace()
  expect(pace.take([38, 39, 40], 7, 28)).toBe(true)
  for (let turn = 0; turn < 5; turn++) {
    expect(pace.take([40], 7, 28)).toBe(false)
    expect(pace.take([38, 39, 40], 7, 28)).toBe(false)
  }
  expect(pace.take([40], 8, 28)).toBe(true)
  expect(pace.take([38, 39, 40], 8, 28)).toBe(true)
  expect(pace.take([40], 8, 28)).toBe(false)
})

test('a nonce that was only sent along starts from the beginning once it is the lowest', () => {
  const pace = createResendPace()
  for (const head of blocks(40)) pace.take([5, 6], head, 5)
  expect(sendAt([40, 41, 42, 43], (head) => pace.take([6], head, 6))).toEqual([40, 41, 42, 43])
})

test('what was known of heights does not outlast a chain that starts again', () => {
  const pace = createResendPace()
  expect(pace.take([5], 1_000, 5)).toBe(true)
  expect(pace.take([5], 999, 5)).toBe(false)
  expect(pace.take([5], 3, 5)).toBe(true)
})
