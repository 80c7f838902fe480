/**
 * Timers on a chain that forks, with nodes that die: whatever happens on the way, what is stored in the end is what the
 * blocks and the commands say, and no fire has two transactions.
 */

import { entryDigestOf, fireKeyOf } from '@drover/timers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address, Hash } from '../../core/hex.ts'
import type { Condition, ConditionOutcome, Fire } from '../../core/timer/timer.ts'
import type { ViewCall, ViewOutcome } from '../../ports/chain.ts'
import type { TimerBlock } from '../../ports/timer-store.ts'
import type { FakeChain } from '../../testing/chain/fake-chain.ts'
import { createTimerScene, LANE, type TimerScene, TTL_MS } from '../../testing/engine/timer-scene.ts'
import { anyHash, anyLabel, anySpec } from '../../testing/store/sample-timers.ts'
import type { MemoryTimerStore } from '../../testing/store/timers/memory-timer-store.ts'
import { applyBlock, createHostState, type HostState, replayCommand } from './host-state.ts'
import { listModifiedKeys } from './modified-keys.ts'

const { chainId: CHAIN_ID } = LANE
const WATCHED: Address = `0x${'ee'.repeat(20)}`
const TOPIC: Hash = `0x${'ab'.repeat(32)}`

type Step =
  | { readonly type: 'mine'; readonly logs: boolean }
  | { readonly type: 'reorg'; readonly depth: number; readonly more: number }
  | {
      readonly type: 'set'
      readonly kind: 'interval' | 'timeout' | 'cron' | 'watch'
      readonly n: number
      readonly isConditional?: boolean
    }
  | { readonly type: 'cancel' }
  | { readonly type: 'reschedule'; readonly n: number }
  | { readonly type: 'kill' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ type: fc.constant('mine' as const), logs: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('reorg' as const),
      depth: fc.integer({ min: 1, max: 6 }),
      more: fc.nat(2),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('set' as const),
      kind: fc.constantFrom('interval' as const, 'timeout' as const, 'cron' as const, 'watch' as const),
      n: fc.integer({ min: 1, max: 4 }),
      isConditional: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'cancel' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('reschedule' as const), n: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'kill' } as const) },
)

const MINE: Step = { type: 'mine', logs: false }
const reorg = (depth: number, more: number): Step => ({ type: 'reorg', depth, more })

/** Failed once. */
const FOUND: [Step[], number][] = [
  // The last timer was spent, and the reorg that dropped its block made the new one final at once.
  [[{ type: 'set', kind: 'timeout', n: 1 }, MINE, reorg(1, 2), MINE, MINE, reorg(5, 2), MINE, MINE], 0],
]

const WHEN: Condition = { to: WATCHED, data: '0x01', comparison: 'gt', value: 0n, isSigned: false }

/** A third of the blocks each: the condition is met, is not met, or the call reverts. */
function answerAt(blockHash: Hash): ViewOutcome {
  const third = Number(BigInt(blockHash) % 3n)
  return third === 2 ? { type: 'reverted', reason: 'no' } : { type: 'value', data: `0x${'00'.repeat(31)}0${third}` }
}

/** At every other block the nodes agree only when they are asked again, a second later. */
function createView(): (call: ViewCall) => ViewOutcome {
  const asked = new Set<Hash>()
  return ({ blockHash }) => {
    const isKnown = asked.has(blockHash) || BigInt(blockHash) % 2n === 0n
    asked.add(blockHash)
    return isKnown ? answerAt(blockHash) : { type: 'unknown', message: 'the RPC nodes do not agree' }
  }
}

test('fires stored are those of the canonical chain; each is at most one transaction [G9] [G10]', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      fc.constantFrom(0, 2, 5),
      async (steps, deliverAt) => {
        const scene = await createTimerScene(deliverAt, { view: createView() })
        const { clock, chain, timers, look } = scene
        for (let count = 0; count < 15; count++) chain.mine()
        await look()
        let node = scene.startNode()
        await clock.advance(50)
        for (const each of steps) {
          await play(each, scene, () => {
            node.kill()
            node = scene.startNode()
          })
        }
        await clock.advance(TTL_MS * 2)
        chain.mine()
        await look()
        await clock.advance(10_000)
        await compare(chain, timers)
        await compareConditions(timers)
        await expectNoLoss(scene)
      },
    ),
    { numRuns: 60, examples: FOUND },
  )
})

async function play(each: Step, scene: TimerScene, restart: () => void): Promise<void> {
  const { clock, chain, timers, look } = scene
  switch (each.type) {
    case 'mine':
      if (each.logs) chain.mineLogs([{ address: WATCHED, topics: [TOPIC] }])
      else chain.mine()
      return await look()
    case 'reorg':
      chain.reorg(Math.min(each.depth, chain.head().number - 3), { length: each.depth + each.more })
      return await look()
    case 'set': {
      const schedule =
        each.kind === 'interval'
          ? ({ type: 'interval', everyBlocks: each.n } as const)
          : each.kind === 'timeout'
            ? ({ type: 'timeout', dueHeight: chain.head().number + each.n } as const)
            : each.kind === 'cron'
              ? ({ type: 'cron', line: '* * * * *', timeMs: 0, dueHeight: chain.head().number + each.n } as const)
              : ({ type: 'watch', keys: [`${WATCHED}01`] } as const)
      const when = each.isConditional === true ? WHEN : null
      const spec = anySpec(LANE, { schedule, target: `0x${String(each.n).repeat(40)}`, bid: 0n, when })
      const command = { type: 'set', timerId: anyId(), spec, label: anyLabel() } as const
      await timers.insertCommands(CHAIN_ID, [{ id: anyId(), command }], 1_000)
      return await clock.advance(20)
    }
    case 'cancel': {
      const [timer] = await timers.listTimers({ states: ['ACTIVE'] }, { before: null, limit: 1 })
      if (timer === undefined) return
      const { id: timerId, kernelId, spec } = timer
      const command = { type: 'cancel', timerId, kernelId, spec } as const
      await timers.insertCommands(CHAIN_ID, [{ id: anyId(), command }], 1_000)
      return await clock.advance(20)
    }
    case 'reschedule': {
      const [timer] = await timers.listTimers({ states: ['ACTIVE'] }, { before: null, limit: 1 })
      if (timer === undefined) return
      const { id: timerId, kernelId } = timer
      const spec = { ...timer.spec, schedule: { type: 'interval', everyBlocks: each.n } } as const
      const command = { type: 'reschedule', timerId, kernelId, spec, isNext: false } as const
      await timers.insertCommands(CHAIN_ID, [{ id: anyId(), command }], 1_000)
      return await clock.advance(20)
    }
    case 'kill':
      restart()
      return
  }
}

function anyId(): string {
  return `${anyHash().slice(2, 10)}-0000-4000-8000-${anyHash().slice(2, 14)}`
}

/** Whoever is in line fired on this chain, and whoever fired is in line: no lane runs here that could send anything. */
async function expectNoLoss({ store, timers }: TimerScene): Promise<void> {
  expect(await timers.listWithdrawn(CHAIN_ID, 10)).toEqual([])
  const stored = (await timers.listTimers({}, { before: null, limit: 1_000 })).map(({ id }) => id)
  for (const id of stored)
    for (const { isOrphaned, txId, txState } of await timers.listFires(id, { before: null, limit: 10_000 }))
      if (txId !== null) expect(txState).toBe(isOrphaned ? 'CANCELLED' : 'QUEUED')
  const { items } = await store.listTransactions({}, { after: null, limit: 1_000, order: 'asc' })
  const keys = items.filter(({ state }) => state === 'QUEUED').map(({ intent }) => intent.requestId)
  expect(new Set(keys).size).toBe(keys.length)
}

/** From the first block on, without any host: what the chain as it is and the log say. */
async function compare(chain: FakeChain, timers: MemoryTimerStore): Promise<void> {
  const { tip, commands, blocks } = await timers.loadTimers(CHAIN_ID)
  if (tip === null) return
  const active = await timers.listTimers({ states: ['ACTIVE'] }, { before: null, limit: 1 })
  // Where nothing can fire, blocks may pass unread.
  if (active.length > 0) expect(tip.height).toBe(chain.head().number)
  const [first] = blocks
  if (first === undefined) throw new Error('a tip without a block')
  let host: HostState = createHostState(CHAIN_ID)
  const expected: { fireKey: Hash; deliverId: Hash; digest: Hash; height: number; blockHash: Hash }[] = []
  for (let height = first.height; height <= tip.height; height++) {
    const block: TimerBlock = await readBlock(chain, host, height)
    const applied = applyBlock(host, block)
    for (const entry of applied.delivery?.entries ?? [])
      expected.push({
        fireKey: fireKeyOf(entry.timerId, entry.fireSeq),
        deliverId: entry.deliverId,
        digest: entryDigestOf(entry),
        height,
        blockHash: block.hash,
      })
    host = commands.filter((command) => command.height === height).reduce(replayCommand, applied.host)
  }
  const all = await timers.listTimers({}, { before: null, limit: 1_000 })
  const stored: Fire[] = []
  for (const { id } of all) stored.push(...(await timers.listFires(id, { before: null, limit: 10_000 })))
  const canonical = stored.filter(({ isOrphaned }) => !isOrphaned)
  const byKey = new Map(canonical.map((fire) => [fire.fireKey, fire]))
  expect([...byKey.keys()].sort()).toEqual(expected.map(({ fireKey }) => fireKey).sort())
  expect(canonical.length).toBe(byKey.size)
  for (const { fireKey, deliverId, digest, height, blockHash } of expected) {
    const fire = byKey.get(fireKey)
    expect(fire).toMatchObject({ height, blockHash })
    expect([fire?.deliverId, ...(fire?.aliases ?? [])]).toContain(deliverId)
    if (fire?.deliverId === deliverId) expect(fire.digest).toBe(digest)
  }
  const keys = stored.map(({ fireKey }) => fireKey)
  expect(new Set(keys).size).toBe(keys.length)
  const sent = stored.flatMap(({ txId }) => (txId === null ? [] : [txId]))
  expect(new Set(sent).size).toBe(sent.length)
  for (const timer of all)
    if (timer.state === 'ACTIVE') {
      const { dueHeight = null } = host.kernel.timers.get(timer.kernelId) ?? {}
      expect(dueHeight === null ? null : Number(dueHeight)).toBe(timer.dueHeight)
    } else expect(host.kernel.timers.has(timer.kernelId)).toBe(false)
}

/** The answer at the block of a fire decides about it. Nothing is sent whose condition is not met, or not known. */
async function compareConditions(timers: MemoryTimerStore): Promise<void> {
  for (const { id, spec } of await timers.listTimers({}, { before: null, limit: 1_000 }))
    for (const fire of await timers.listFires(id, { before: null, limit: 10_000 })) {
      const { state, skipReason, condition, blockHash } = fire
      const outcome = spec.when === null ? null : outcomeOf(answerAt(blockHash))
      // What became a transaction on one branch stays one on another, where the answer may be another one.
      expect(condition?.outcome ?? null).toBe(state === 'QUEUED' && outcome !== null ? 'met' : outcome)
      const isSkipped = state !== 'QUEUED' && outcome !== null && outcome !== 'met'
      expect([state === 'SKIPPED', skipReason]).toEqual([isSkipped, isSkipped ? `condition_${outcome}` : null])
    }
}

function outcomeOf(answer: ViewOutcome): ConditionOutcome['outcome'] {
  if (answer.type !== 'value') return 'failed'
  return BigInt(answer.data) > 0n ? 'met' : 'not_met'
}

async function readBlock(chain: FakeChain, host: HostState, height: number): Promise<TimerBlock> {
  const [block] = await chain.readAgreedBlocks([height])
  if (block === undefined) throw new Error('no block')
  const [logs = []] = await chain.readAgreedLogs([block], [WATCHED])
  const { hash, stateRoot } = block
  const parentStateRoot = host.tip?.stateRoot ?? `0x${'00'.repeat(32)}`
  return { height, hash, stateRoot, parentStateRoot, keys: listModifiedKeys(host.kernel, logs) }
}
