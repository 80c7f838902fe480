import { describe, expect, test } from 'vitest'
import { timersRoot } from './merkle/timer-leaves.ts'
import { deliverNaively } from './naive-deliver.suite.ts'
import { createRandom, createScript, playScript, printBlock } from './random-script.suite.ts'

describe('deliver equals the naive reading of the rules', () => {
  test.each(Array.from({ length: 150 }, (_, seed) => seed))('history %i', (seed) => {
    playScript(createScript(seed, 40), {
      shards: 1 + (seed % 4),
      rootless: true,
      inspect(state, delivery, block) {
        const naive = deliverNaively(state, block)
        expect(printBlock(delivery, block.parentStateRoot, null)).toBe(printBlock(naive, block.parentStateRoot, null))
      },
    })
  })
})

describe('R24 any shard count and any insertion order give the same bytes [G9]', () => {
  test.each(Array.from({ length: 100 }, (_, n) => 1_000 + n))('history %i', (seed) => {
    const script = createScript(seed, 20)
    const plain = playScript(script, { shards: 1 })
    const root = timersRoot(plain.final)
    for (const shards of [1, 2, 3, 7, 16, 64]) {
      const other = playScript(script, { shards, reload: createRandom(seed * 31 + shards) })
      expect(other.lines.findIndex((line, n) => line !== plain.lines[n])).toBe(-1)
      expect(timersRoot(other.final)).toBe(root)
    }
  })
})
