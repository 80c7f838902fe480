import { expect, test } from 'vitest'
import { createBatchSize } from './batch-size.ts'

function open(largest = 100) {
  let now = 0
  const size = createBatchSize(largest, { monotonic: () => now })
  return {
    size,
    pass: (ms: number) => {
      now += ms
    },
  }
}

test('a batch that is refused for its rate is halved at once, and grows again by one', () => {
  const { size } = open()
  size.noteRateRefused(30)
  expect(size.current()).toBe(15)
  size.noteRateRefused(15)
  expect(size.current()).toBe(7)
  size.noteTaken(7)
  size.noteTaken(3)
  expect(size.current()).toBe(8)
  for (let batch = 0; batch < 200; batch++) size.noteTaken(size.current())
  expect(size.current()).toBe(100)
})

test('a single call that is refused for its rate says nothing about batches', () => {
  const { size } = open()
  size.noteRateRefused(1)
  expect(size.current()).toBe(100)
})

test('what is refused for its size is remembered for a minute', () => {
  const { size, pass } = open()
  size.noteSizeRefused(64)
  expect(size.current()).toBe(32)
  size.noteArraysRefused()
  expect(size.current()).toBe(1)
  pass(60_000)
  expect(size.current()).toBe(100)
})
