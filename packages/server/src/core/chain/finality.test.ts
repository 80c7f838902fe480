import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashOf, inclusionIn } from '../../testing/core/sample-transactions.ts'
import { assessInclusion, type ChainView, type Finality, type Header, listConfirmations } from './finality.ts'

function headerAt(number: number, fork = 0xb000): Header {
  return { number, hash: hashOf(fork + number), parentHash: hashOf(fork + number - 1), timestamp: number * 12 }
}

function viewOf(from: number, to: number, tags: Partial<Pick<ChainView, 'safe' | 'finalized'>> = {}): ChainView {
  return {
    head: headerAt(to),
    safe: null,
    finalized: null,
    ...tags,
    header: (number) => (number < from || number > to ? null : headerAt(number)),
  }
}

const three: Finality = { type: 'confirmations', count: 3 }
const at = inclusionIn(100)

describe('the block decides, not the height', () => {
  test('another block at its height means reorged, however deep it was [G6]', () => {
    const uncle = inclusionIn(100, { blockHash: hashOf(0xcafe) })
    for (const head of [100, 103, 160]) {
      expect(assessInclusion(uncle, viewOf(90, head), three)).toEqual({ type: 'reorged' })
    }
  })

  test('below the window nothing is claimed', () => {
    expect(assessInclusion(at, viewOf(101, 200), three)).toEqual({ type: 'unknown' })
  })

  test('above the head nothing is claimed either: this view may be behind', () => {
    expect(assessInclusion(at, viewOf(90, 99), three)).toEqual({ type: 'ahead' })
  })
})

describe('confirmations', () => {
  test.each([
    [100, 0],
    [101, 1],
    [102, 2],
  ])('with the head at %i it waits with %i', (head, confirmations) => {
    expect(assessInclusion(at, viewOf(90, head), three)).toEqual({ type: 'waiting', confirmations })
  })

  test.each([103, 104, 500])(
    'with the head at %i it is final, with exactly the headers that the rule asks for',
    (head) => {
      expect(assessInclusion(at, viewOf(90, head), three)).toEqual({
        type: 'final',
        confirmations: [101, 102, 103].map((number) => ({ blockNumber: number, blockHash: headerAt(number).hash })),
      })
    },
  )

  test('none required: final in its own block', () => {
    const rule = { type: 'confirmations', count: 0 } as const
    expect(assessInclusion(at, viewOf(90, 100), rule)).toEqual({ type: 'final', confirmations: [] })
  })
})

describe.each(['safe', 'finalized'] as const)('%s', (tag) => {
  const rule: Finality = { type: tag }
  const other = tag === 'safe' ? 'finalized' : 'safe'

  test('waits without the tag, whatever the depth and the other tag', () => {
    expect(assessInclusion(at, viewOf(90, 190, { [other]: 190 }), rule)).toEqual({ type: 'waiting', confirmations: 90 })
  })

  test('waits while the tag is below its block', () => {
    expect(assessInclusion(at, viewOf(90, 105, { [tag]: 99 }), rule)).toEqual({ type: 'waiting', confirmations: 5 })
  })

  test('is final when the tag reaches its block, with all headers above it', () => {
    const status = assessInclusion(at, viewOf(90, 102, { [tag]: 100 }), rule)
    expect(status).toMatchObject({ type: 'final', confirmations: [{ blockNumber: 101 }, { blockNumber: 102 }] })
  })

  test('a tag never overrides the block hash [G6]', () => {
    const uncle = inclusionIn(100, { blockHash: hashOf(0xcafe) })
    expect(assessInclusion(uncle, viewOf(90, 140, { [tag]: 140 }), rule)).toEqual({ type: 'reorged' })
  })
})

test('a list of confirmations stops where the window does', () => {
  expect(listConfirmations(100, viewOf(105, 110), three)).toEqual([])
})

test('a growing chain only adds: waiting counts up and final stays final [G6]', () => {
  const property = fc.property(fc.nat(20), fc.nat(40), (count, growth) => {
    const rule: Finality = { type: 'confirmations', count }
    const seen = Array.from({ length: growth + 1 }, (_, more) => assessInclusion(at, viewOf(80, 100 + more), rule))
    seen.forEach((status, depth) => {
      expect(status.type).toBe(depth >= count ? 'final' : 'waiting')
      if (status.type === 'waiting') expect(status.confirmations).toBe(depth)
      if (status.type === 'final') expect(status.confirmations).toHaveLength(count)
    })
  })
  fc.assert(property)
})
