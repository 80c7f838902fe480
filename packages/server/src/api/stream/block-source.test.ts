import { beforeEach, expect, test } from 'vitest'
import type { ChainView, Header } from '../../core/chain/finality.ts'
import { blockHash, createTestView } from '../../testing/api/create-test-api.ts'
import { createBlockSource } from './block-source.ts'

let view: ChainView | null
let stored: Header[]
let reads: number

beforeEach(() => {
  view = createTestView({ from: 90, head: 110 })
  stored = []
  reads = 0
})

function open(after: number | null) {
  return createBlockSource(
    {
      store: {
        readHeaders: async () => {
          reads += 1
          return stored
        },
      },
      view: () => view,
      onChain: () => () => {},
    },
    { chainId: 1, finality: { type: 'confirmations', count: 5 }, after },
  )
}

async function take(source: ReturnType<typeof open>): Promise<readonly string[] | null> {
  const bytes = await source.readNext()
  return bytes && [...bytes.toString().matchAll(/^(id: \d+|event: gap)/gm)].map(([text]) => text)
}

test('blocks that are confirmed, each once, as the chain grows', async () => {
  const source = open(103)
  expect(await take(source)).toEqual(['id: 104', 'id: 105'])
  expect(await take(source)).toBeNull()
  view = createTestView({ from: 90, head: 112 })
  expect(await take(source)).toEqual(['id: 106', 'id: 107'])
  expect([source.cursor(), reads]).toEqual([107, 0])
})

test('from now: the next confirmed block', async () => {
  const source = open(null)
  expect(await take(source)).toBeNull()
  view = createTestView({ from: 90, head: 111 })
  expect(await take(source)).toEqual(['id: 106'])
})

test('before any block was seen there is nothing, and no cursor to come back with', async () => {
  view = null
  const source = open(null)
  expect([await take(source), source.cursor()]).toEqual([null, null])
})

test('blocks below the window come from the store; missing ones are reported', async () => {
  stored = [88, 89].map((number) => ({
    number,
    hash: blockHash(number),
    parentHash: blockHash(number - 1),
    timestamp: 1,
  }))
  expect((await take(open(87)))?.slice(0, 3)).toEqual(['id: 88', 'id: 89', 'id: 90'])
  expect((await take(open(50)))?.slice(0, 2)).toEqual(['event: gap', 'id: 88'])
})
