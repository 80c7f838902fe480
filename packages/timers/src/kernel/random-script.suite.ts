/** Random timer histories from a seed, and a player that runs one with any shard count and any order of insertion. */

import { type Hex, uintDigits } from './bytes/hex.ts'
import { applyDelivery } from './deliver/apply-delivery.ts'
import { type Delivery, deliver } from './deliver/deliver.ts'
import { encodeEntry } from './deliver/mailbox-entry.ts'
import { MerkleTrie } from './merkle/merkle-trie.ts'
import { listLeafChanges } from './merkle/timer-leaves.ts'
import { DEFAULT_PARAMS, type TimerParams } from './params/timer-params.ts'
import { cancelTimer } from './set/cancel-timer.ts'
import { setTimer } from './set/set-timer.ts'
import type { TimerCall } from './set/timer-call.ts'
import { updateTimer } from './set/update-timer.ts'
import { restoreTimers } from './snapshot/restore-timers.ts'
import { snapshotTimers } from './snapshot/timer-snapshot.ts'
import { replaceTimers } from './state/replace-timers.ts'
import { addTarget, createTimerState, removeTarget, type TimerState } from './state/timer-state.ts'

type Random = (below: number) => number

/** mulberry32: the same numbers everywhere for one seed. */
export function createRandom(seed: number): Random {
  let a = seed >>> 0
  return (below) => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = a
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

function shuffle<T>(items: readonly T[], random: Random): T[] {
  const result = [...items]
  for (let i = result.length - 1; i > 0; i -= 1) {
    const j = random(i + 1)
    ;[result[i], result[j]] = [result[j] as T, result[i] as T]
  }
  return result
}

type ScriptCall =
  | { readonly type: 'set'; readonly caller: Hex; readonly args: Record<string, unknown> }
  | { readonly type: 'update'; readonly pick: number; readonly terms: Record<string, unknown> }
  | { readonly type: 'cancel'; readonly pick: number }
  | { readonly type: 'remove-target'; readonly target: Hex }
  | { readonly type: 'add-target'; readonly target: Hex }

interface ScriptBlock {
  readonly params: TimerParams
  readonly calls: readonly ScriptCall[]
  readonly mailboxCalls: readonly ScriptCall[]
  readonly modifiedKeys: readonly Hex[]
  readonly balances: ReadonlyMap<Hex, bigint> | null
  /** Every n-th entry fails. */
  readonly failEvery: number
}

interface Script {
  readonly genesis: TimerState
  readonly blocks: readonly ScriptBlock[]
}

export function addressOf(n: number): Hex {
  return `0x${uintDigits(n + 1, 20)}`
}

export function createScript(seed: number, blockCount: number): Script {
  const random = createRandom(seed)
  const actors = Array.from({ length: 2 + random(9) }, (_, n) => addressOf(n))
  let genesis = createTimerState({ chainId: BigInt(1 + random(5)), targets: random(4) === 0 ? 'any' : 'known' })
  for (const actor of actors) genesis = addTarget(genesis, actor)
  let params = randomParams(random)
  const funded = random(2) === 0
  const blocks: ScriptBlock[] = []
  for (let n = 1; n <= blockCount; n += 1) {
    if (random(8) === 0) params = randomParams(random)
    const busy = random(3) === 0 ? 14 : 3
    blocks.push({
      params,
      calls: Array.from({ length: random(busy) }, () => randomCall(random, actors, n)),
      mailboxCalls: Array.from({ length: random(3) }, () => randomCall(random, actors, n)),
      modifiedKeys: Array.from({ length: random(5) }, () => keyOf(random, actors, 1 + random(3))),
      balances: funded ? new Map(actors.map((actor) => [actor, BigInt(random(5)) * 100_000n])) : null,
      failEvery: 1 + random(4),
    })
  }
  return { genesis, blocks }
}

interface Playback {
  readonly shards: number
  /** Rebuilds the whole state from shuffled parts now and then, as a node does that restarts. */
  readonly reload?: Random
  /** Leaves state roots out, which are most of the work, where they are not what is looked at. */
  readonly rootless?: boolean
  /** Sees every block before it is written back. */
  readonly inspect?: (state: TimerState, delivery: Delivery, block: Parameters<typeof deliver>[1]) => void
}

/** One line per block with everything a node would publish. */
export function playScript(
  script: Script,
  { shards, reload, rootless = false, inspect }: Playback,
): { lines: string[]; final: TimerState } {
  let state = script.genesis
  let trie = new MerkleTrie()
  let rooted = createTimerState({ chainId: state.chainId, targets: state.targets === null ? 'any' : 'known' })
  const lines: string[] = []
  script.blocks.forEach((step, index) => {
    const height = BigInt(index + 1)
    state = runCalls(state, step.calls, height, step.params)
    if (reload !== undefined && reload(3) === 0) state = reloadState(state, reload)
    const { balances } = step
    const funds =
      balances === null
        ? {}
        : { funds: { basefeeCycles: 1n, basefeeCells: 1n, balanceOf: (owner: Hex) => balances.get(owner) ?? 0n } }
    const modifiedKeys = reload === undefined ? step.modifiedKeys : shuffle(step.modifiedKeys, reload)
    const block = { height, parentStateRoot: trie.rootHash, modifiedKeys, params: step.params, shards, ...funds }
    const delivery = deliver(state, block)
    inspect?.(state, delivery, block)
    const failed = new Set(delivery.entries.filter((_, n) => n % step.failEvery === 0).map(({ timerId }) => timerId))
    const after = applyDelivery(runCalls(state, step.mailboxCalls, height, step.params), delivery, failed)
    state = after.state
    if (!rootless) trie = trie.apply(listLeafChanges(rooted, state))
    rooted = state
    lines.push(printBlock(delivery, trie.rootHash, after.retired))
  })
  return { lines, final: state }
}

export function printBlock(
  delivery: Pick<Delivery, 'entries' | 'mutations' | 'evictions' | 'carried'>,
  root: Hex,
  extra: unknown,
): string {
  const { entries, mutations, evictions, carried } = delivery
  const parts = [entries.map(encodeEntry), mutations, evictions, carried, root, extra]
  return JSON.stringify(parts, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

function runCalls(state: TimerState, calls: readonly ScriptCall[], height: bigint, params: TimerParams): TimerState {
  return calls.reduce((next, call) => runCall(next, call, height, params), state)
}

function runCall(state: TimerState, call: ScriptCall, height: bigint, params: TimerParams): TimerState {
  const by = (caller: Hex): TimerCall => ({ caller, height, params })
  switch (call.type) {
    case 'remove-target':
      return removeTarget(state, call.target)
    case 'add-target':
      return addTarget(state, call.target)
    case 'set': {
      const outcome = setTimer(state, by(call.caller), call.args as unknown as Parameters<typeof setTimer>[2])
      return outcome.type === 'refused' ? state : outcome.state
    }
    default: {
      const timers = [...state.timers.values()]
      const timer = timers[call.pick % Math.max(1, timers.length)]
      if (timer === undefined) return state
      const { target, timerId } = timer
      const outcome =
        call.type === 'cancel'
          ? cancelTimer(state, by(timer.owner), { target, timerId })
          : updateTimer(state, by(timer.owner), { target, timerId, ...call.terms })
      return outcome.type === 'refused' ? state : outcome.state
    }
  }
}

/** The same facts put together in another order: lists shuffled, records written one by one or in odd batches. */
function reloadState(state: TimerState, random: Random): TimerState {
  const snapshot = snapshotTimers(state)
  const mixed = {
    ...snapshot,
    timers: shuffle(snapshot.timers, random),
    cursors: shuffle(snapshot.cursors, random),
    tombstones: shuffle(snapshot.tombstones, random),
  }
  if (random(2) === 0) return restoreTimers(mixed)
  let next = restoreTimers({ ...mixed, timers: [], nonces: [], isolated: [] })
  next = { ...next, nonces: state.nonces, isolated: state.isolated }
  if (state.ready !== null) next = { ...next, ready: { ...state.ready, shards: state.ready.shards.map(() => EMPTY) } }
  for (let from = 0; from < mixed.timers.length; ) {
    const size = 1 + random(5)
    next = replaceTimers(
      next,
      mixed.timers.slice(from, from + size).map((after) => ({ before: null, after })),
    )
    from += size
  }
  return { ...next, goneTargets: state.goneTargets }
}

const EMPTY = deliver(createTimerState({ chainId: 0n }), {
  height: 1n,
  parentStateRoot: `0x${'00'.repeat(32)}`,
  modifiedKeys: [],
  params: DEFAULT_PARAMS,
}).derived?.ready.shards[0] as NonNullable<Delivery['derived']>['ready']['shards'][number]

function randomParams(random: Random): TimerParams {
  return {
    ...DEFAULT_PARAMS,
    maxFiresPerBlock: 1 + random(random(3) === 0 ? 20 : 6),
    maxFiresPerTarget: 1 + random(4),
    maxBid: random(3) === 0 ? 1n << 95n : 1n << 96n,
    wFifo: random(3) === 0 ? -(1n << BigInt(80 + random(12))) : 0n,
    bucketBounds: random(2) === 0 ? [] : [1n << 92n, 1n << 95n],
    minGasLimitPerTimer: random(4) === 0 ? 20_000n : 10_000n,
    timerLaneCycles: [20_000n, 45_000n, 400_000n, 400_000n, 400_000n][random(5)] ?? 400_000n,
    maxCellsPerFire: 1_000n,
    maxTimersPerTarget: 16,
    isolateUpdates: random(3) === 0,
    maxConsecutiveFailures: random(3),
    dedupWindow: BigInt(random(12)),
    maxMatchedKeys: 1 + random(3),
    maxWatchMatchesPerBlock: 1 + random(6),
    maxCarryKeys: random(4),
  }
}

function randomCall(random: Random, actors: readonly Hex[], height: number): ScriptCall {
  const actor = actors[random(actors.length)] as Hex
  const roll = random(20)
  if (roll === 0) return { type: 'remove-target', target: actor }
  if (roll === 1) return { type: 'add-target', target: actor }
  if (roll < 5) return { type: 'cancel', pick: random(1_000) }
  const terms = {
    gasLimit: 10_000 + random(4) * 5_000,
    bidFp: BigInt(random(5)) << 94n,
    payload: `0x${uintDigits(random(256), 1)}`,
  }
  if (roll < 8) return { type: 'update', pick: random(1_000), terms }
  const nonce = random(4) === 0 ? { clientNonce: random(6) } : {}
  const target = random(2) === 0 ? actor : (actors[random(actors.length)] as Hex)
  return { type: 'set', caller: actor, args: { ...terms, ...nonce, target, ...randomSchedule(random, actors, height) } }
}

function randomSchedule(random: Random, actors: readonly Hex[], height: number): Record<string, unknown> {
  switch (random(3)) {
    case 0:
      return { kind: 'HEIGHT', dueHeight: height + random(5) }
    case 1:
      return { kind: 'INTERVAL', everyBlocks: 1 + random(4) }
    default:
      return {
        kind: 'STATE_WATCH',
        watchKeys: [...new Set([keyOf(random, actors, random(3)), keyOf(random, actors, random(3))])],
      }
  }
}

function keyOf(random: Random, actors: readonly Hex[], extraBytes: number): Hex {
  const tail = Array.from({ length: extraBytes }, () => uintDigits(random(3), 1)).join('')
  return `${actors[random(actors.length)] as Hex}${tail}`
}
