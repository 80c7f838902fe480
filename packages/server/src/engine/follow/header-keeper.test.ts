import { expect, test } from 'vitest'
import type { Header } from '../../core/chain/finality.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import { hashOf } from '../../testing/core/sample-transactions.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import type { ChainUpdate } from './block-follower.ts'
import { createHeaderKeeper } from './header-keeper.ts'

function updateOf(...numbers: readonly number[]): ChainUpdate {
  const added = numbers.map((number) => ({
    number,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: number,
    txHashes: [],
  }))
  const view = {
    head: added.at(-1) ?? { number: 0, hash: hashOf(0), parentHash: hashOf(0), timestamp: 0 },
    safe: null,
    finalized: null,
    header: () => null,
  }
  return { view, added, forkFrom: null, gap: false }
}

function setUp() {
  const saved: { numbers: readonly number[]; keepFrom: number }[] = []
  const state: { fails: boolean; release: (() => void) | null } = { fails: false, release: null }
  const store = {
    saveHeaders: async (_chainId: number, headers: readonly Header[], keepFrom: number) => {
      if (state.fails) throw new StoreUnavailable('away')
      saved.push({ numbers: headers.map(({ number }) => number), keepFrom })
      await new Promise<void>((resolve) => {
        state.release = resolve
      })
    },
    readHeaders: async () => {
      throw new StoreUnavailable('away')
    },
  }
  const telemetry = createRecordingTelemetry()
  return { saved, state, telemetry, keeper: createHeaderKeeper({ store, telemetry, keep: 4 }) }
}

const turn = () => new Promise((resolve) => void setImmediate(resolve))

test('while one save runs the next collects, without what was replaced meanwhile', async () => {
  const { saved, state, keeper } = setUp()
  keeper.save(1, updateOf(10))
  keeper.save(1, updateOf(11, 12))
  keeper.save(1, updateOf(12, 13))
  expect(saved).toEqual([{ numbers: [10], keepFrom: 7 }])
  state.release?.()
  await turn()
  expect(saved[1]).toEqual({ numbers: [11, 12, 13], keepFrom: 10 })
})

test('a database that is down costs history and nothing else', async () => {
  const { saved, state, telemetry, keeper } = setUp()
  state.fails = true
  keeper.save(1, updateOf(10))
  await turn()
  expect(telemetry.logs).toHaveLength(1)
  expect(await keeper.read(1)).toEqual([])
  state.fails = false
  keeper.save(1, updateOf(11))
  expect(saved.map(({ numbers }) => numbers)).toEqual([[11]])
})
