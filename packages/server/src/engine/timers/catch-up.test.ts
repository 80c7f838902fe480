/** A node that missed 2,000 blocks holds only some of them at a time, and only so many fires. */
import { expect, test } from 'vitest'
import type { AgreedReads } from '../../ports/chain.ts'
import type { TimerStore } from '../../ports/timer-store.ts'
import { createTimerScene, LANE } from '../../testing/engine/timer-scene.ts'
import { anyHash, anyLabel, anySpec } from '../../testing/store/sample-timers.ts'
import { createHostHistory } from './host-history.ts'
import { createHostState } from './host-state.ts'
import { loadHost } from './load-host.ts'

const MISSED = 2_000
const TIMERS = 20
const BLOCKS_AT_ONCE = 50
/** What one write of so many blocks adds to those it may start with. */
const MOST_FIRES = 2_000 + BLOCKS_AT_ONCE * TIMERS

/** Counts what passes; while it is on, blocks are not stored, so that only the node itself holds anything. */
function createMeasure() {
  const most = { read: 0, written: 0, fires: 0 }
  const total = { blocks: 0, fires: 0, handedOver: 0 }
  let isOn = false
  let held = 0
  const writeBlocks: TimerStore['writeBlocks'] = async ({ blocks, fires, handOffs }) => {
    held += fires.length - handOffs.length
    total.blocks += blocks.length
    total.fires += fires.length
    total.handedOver += handOffs.length
    most.written = Math.max(most.written, blocks.length)
    most.fires = Math.max(most.fires, held)
    return { type: 'written' }
  }
  return {
    most,
    total,
    start: () => {
      isOn = true
    },
    store: (timers: TimerStore): TimerStore => ({
      ...timers,
      writeBlocks: (write) => (isOn ? writeBlocks(write) : timers.writeBlocks(write)),
    }),
    chain: (chain: AgreedReads): AgreedReads => ({
      readAgreedBlocks: (heights) => {
        most.read = Math.max(most.read, heights.length)
        return chain.readAgreedBlocks(heights)
      },
      readAgreedLogs: (blocks, contracts) => chain.readAgreedLogs(blocks, contracts),
      readAgreedViews: (calls) => chain.readAgreedViews(calls),
      readAgreedTag: (tag) => chain.readAgreedTag(tag),
    }),
  }
}

test('a catch-up over 2,000 blocks with 40,000 fires holds few of them at a time, and skips none', async () => {
  const measure = createMeasure()
  const { clock, chain, timers, look, startNode } = await createTimerScene(0, measure)
  for (let count = 0; count < 20; count++) chain.mine()
  await look()
  startNode()
  await clock.advance(50)
  for (let n = 0; n < TIMERS; n++) {
    const schedule = { type: 'interval', everyBlocks: 1 } as const
    const spec = anySpec(LANE, { schedule, target: `0x${(n + 1).toString(16).padStart(40, '0')}`, bid: 0n })
    const command = { type: 'set', timerId: anyId(), spec, label: anyLabel() } as const
    await timers.insertCommands(LANE.chainId, [{ id: anyId(), command }], 1_000)
  }
  await clock.advance(50)
  expect(await timers.listTimers({ states: ['ACTIVE'] }, { before: null, limit: 1_000 })).toHaveLength(TIMERS)
  measure.start()
  for (let count = 0; count < MISSED; count++) chain.mine()
  await look()
  for (let rounds = 0; measure.total.blocks < MISSED && rounds < MISSED; rounds++) await clock.advance(20)
  expect(measure.total.blocks).toBe(MISSED)
  expect(measure.total.fires).toBe(MISSED * TIMERS)
  expect(measure.most.read).toBeLessThanOrEqual(BLOCKS_AT_ONCE)
  expect(measure.most.written).toBe(BLOCKS_AT_ONCE)
  expect(measure.most.fires).toBeLessThanOrEqual(MOST_FIRES)
  expect(measure.total.handedOver).toBeGreaterThanOrEqual(MISSED * TIMERS - MOST_FIRES)
})

test('the history of states keeps as many as a reorg may need, and half as many again', () => {
  const keep = 64
  const first = createHostState(LANE.chainId)
  const history = createHostHistory(first, keep)
  for (let height = 1; height <= MISSED; height++) {
    const tip = { height, hash: anyHash(), stateRoot: anyHash() }
    history.push({ ...first, tip, seq: height })
    const command = { type: 'params', change: {} } as const
    history.amend(history.tip(), [{ id: anyId(), seq: height, height, command }])
    expect(history.states().length).toBeLessThanOrEqual(keep * 1.5)
    expect(history.commandsAbove(-1).length).toBeLessThanOrEqual(keep * 1.5)
  }
})

test('a block may have any number of commands, and a load rests between them', async () => {
  const first = createHostState(LANE.chainId)
  const history = createHostHistory(first, 64)
  const command = { type: 'params', change: { maxFiresPerBlock: 1 } } as const
  const many = Array.from({ length: 200_000 }, (_, index) => ({ id: 'c', seq: index + 1, height: 1, command }))
  history.amend(first, many)
  expect(history.commandsAbove(0)).toHaveLength(many.length)
  const block = { height: 1, hash: anyHash(), stateRoot: anyHash(), parentStateRoot: anyHash(), keys: [] }
  const loaded = { tip: block, lastSeq: 1_000, snapshot: null, blocks: [block], observed: [] }
  let rests = 0
  const rest = async () => {
    rests += 1
  }
  const { history: own } = await loadHost(LANE.chainId, { ...loaded, commands: many.slice(0, 1_000) }, 64, rest)
  expect(own.tip().seq).toBe(1_000)
  expect(rests).toBe(5)
})

function anyId(): string {
  return `${anyHash().slice(2, 10)}-0000-4000-8000-${anyHash().slice(2, 14)}`
}
