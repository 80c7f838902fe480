import { beforeEach, expect, test } from 'vitest'
import { LOCAL_CALLER } from '../../core/access/caller.ts'
import type { ChainView, Header } from '../../core/chain/finality.ts'
import type { Hash } from '../../core/hex.ts'
import type { EventFilter } from '../../core/webhook/event-filter.ts'
import type { MinedTransaction } from '../../ports/history.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { type ConfirmationReader, createConfirmationFeed } from './confirmation-feed.ts'

const LANE = { chainId: 1, signer: `0x${'11'.repeat(20)}` } as const
const OTHER = { chainId: 1, signer: `0x${'22'.repeat(20)}` } as const
const ALL: EventFilter = { types: null, chainId: null, signer: null, completions: false }

/** The letter tells forks apart. */
const hashOf = (number: number, fork: string): Hash => `0x${(fork + number).padStart(64, '0')}`

let mined: MinedTransaction[]
let reads: number
let chain: Header[]
let listeners: Set<(chainId: number) => void>

beforeEach(() => {
  mined = []
  reads = 0
  chain = []
  listeners = new Set()
})

function view(): ChainView | null {
  const head = chain.at(-1)
  const header = (number: number) => chain.find((one) => one.number === number) ?? null
  return head === undefined ? null : { head, safe: null, finalized: null, header }
}

/** Makes the chain end with these blocks, and tells. */
async function extend(from: number, to: number, fork = 'a'): Promise<void> {
  chain = chain.filter(({ number }) => number < from)
  for (let number = from; number <= to; number++) {
    const parentHash = chain.at(-1)?.hash ?? hashOf(number - 1, fork)
    chain.push({ number, hash: hashOf(number, fork), parentHash, timestamp: number })
  }
  for (const listener of [...listeners]) listener(1)
  await new Promise((resolve) => setImmediate(resolve))
}

const createFeed = () =>
  createConfirmationFeed({
    store: {
      listMined: async () => {
        reads += 1
        return mined
      },
    },
    telemetry: createRecordingTelemetry(),
    chainIds: () => [1],
    viewOf: view,
    finalityOf: () => ({ type: 'confirmations', count: 3 }),
    onChain: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  })

function inBlock(
  txId: string,
  blockNumber: number,
  lane: MinedTransaction['lane'] = LANE,
  fork = 'a',
): MinedTransaction {
  return { txId, lane, blockNumber, blockHash: hashOf(blockNumber, fork), finality: null }
}

/** Null for nothing, else what was told: transaction, count, whether it replaces, and the blocks. */
function take(reader: ConfirmationReader, filter: Partial<EventFilter> = {}) {
  const bytes = reader.readNext({ ...ALL, ...filter }, LOCAL_CALLER)
  if (bytes === null) return null
  return [...bytes.toString().matchAll(/^event: confirmations\ndata: (.*)$/gm)].map(([, text]) => {
    const told = JSON.parse(text ?? '')
    return [
      told.transactionId,
      told.count,
      told.newFork,
      told.confirmations.map((one: Header & { blockNumber: number }) => one.blockNumber),
    ]
  })
}

test('each block sends what is new, a replaced one the whole list', async () => {
  await extend(1, 5)
  mined = [inBlock('one', 4)]
  const reader = createFeed().createReader()
  reader.follow(() => {})
  await extend(6, 6)
  expect(take(reader)).toEqual([['one', 2, true, [5, 6]]])
  expect(take(reader)).toBeNull()
  await extend(7, 7)
  expect(take(reader)).toEqual([['one', 3, false, [7]]])
  await extend(8, 8)
  expect(take(reader)).toBeNull()
  await extend(6, 9, 'b')
  expect(take(reader)).toEqual([['one', 3, true, [5, 6, 7]]])
})

test('a transaction that moved to another block starts over; a reorged one is not sent', async () => {
  await extend(1, 5)
  mined = [inBlock('one', 4)]
  const reader = createFeed().createReader()
  reader.follow(() => {})
  await extend(4, 6, 'b')
  expect(take(reader)).toEqual([])
  mined = [inBlock('one', 5, LANE, 'b')]
  await extend(7, 7, 'b')
  expect(take(reader)).toEqual([['one', 2, true, [6, 7]]])
})

test('late or slow clients get the whole lists', async () => {
  await extend(1, 5)
  mined = [inBlock('one', 4)]
  const feed = createFeed()
  const first = feed.createReader()
  first.follow(() => {})
  await extend(6, 6)
  take(first)
  const second = feed.createReader()
  second.follow(() => {})
  expect(take(second)).toEqual([['one', 2, true, [5, 6]]])
  // More than is kept: thousands of transactions, a block each.
  mined = Array.from({ length: 9_000 }, (_, index) => inBlock(`tx-${index}`, 6))
  await extend(7, 7)
  // In pieces, and what comes in between is told after them.
  const pieces = [take(second) ?? []]
  await extend(8, 8)
  for (let piece = take(second); piece !== null; piece = take(second)) pieces.push(piece)
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(200)
  const last = new Map<string, number>()
  for (const [id, count, newFork] of pieces.flat()) {
    // Never something new of one whose list was not told.
    expect(newFork || last.has(id)).toBe(true)
    last.set(id, count)
  }
  expect([last.size, new Set(last.values())]).toEqual([9_000, new Set([2])])
})

test('clients that come and go cost no reads', async () => {
  await extend(1, 5)
  mined = [inBlock('one', 4)]
  const feed = createFeed()
  feed.createReader().follow(() => {})
  await extend(6, 6)
  reads = 0
  for (let times = 0; times < 10; times++) {
    const reader = feed.createReader()
    const end = reader.follow(() => {})
    await new Promise((resolve) => setImmediate(resolve))
    expect(take(reader)).toHaveLength(1)
    end()
  }
  expect(reads).toBe(0)
})

test('only what was asked for, one read per block for all listeners, and none without listeners', async () => {
  await extend(1, 5)
  mined = [inBlock('one', 4), inBlock('two', 4, OTHER)]
  const feed = createFeed()
  const readers = [feed.createReader(), feed.createReader(), feed.createReader()]
  const ends = readers.map((reader) => reader.follow(() => {}))
  await extend(6, 6)
  reads = 0
  await extend(7, 7)
  expect(reads).toBe(1)
  const [reader] = readers
  if (reader === undefined) throw new Error('no reader')
  expect(take(reader, { signer: OTHER.signer })?.map(([id]) => id)).toEqual(['two'])
  for (const end of ends) end()
  await extend(8, 8)
  expect([reads, listeners.size]).toEqual([1, 0])
})
