/**
 * Runs the timers of one chain while this node holds their lease: gives every block to the kernel, in order, and writes
 * the results; answers commands between blocks, and stores what became known about conditions. Everything it knows can be
 * loaded again, and is, after a write with an uncertain outcome.
 *
 * While a chain has no timers nothing is read or written for its blocks. Before the first timer is set, some blocks
 * below the head are read, so a reorg can be followed from there.
 */
import { backOff } from '../../core/back-off.ts'
import type { ChainView } from '../../core/chain/finality.ts'
import { type AgreedReads, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { BlocksWrite, BlocksWriteResult, NewFire, TimerLease, TimerStore } from '../../ports/timer-store.ts'
import { pause } from '../pause.ts'
import type { JudgeFires } from '../rules/judge-fires.ts'
import type { UpstreamPace } from '../tenants/upstream-pace.ts'
import { answerCommands, isNew } from './answer-commands.ts'
import { applyBlocks } from './apply-blocks.ts'
import type { ChainTimerSettings } from './chain-timer-settings.ts'
import { createConditionChecks, type KnownCondition } from './conditions/condition-checks.ts'
import { toResult, withConditions } from './conditions/condition-results.ts'
import { findOpenChecks } from './conditions/open-check.ts'
import { describeQueue } from './describe-queue.ts'
import { createFireMeter } from './fire-meter.ts'
import { createHandOver } from './hand-over.ts'
import type { HostState } from './host-state.ts'
import { createHostWaits } from './host-waits.ts'
import { createIncarnationCache } from './incarnation-cache.ts'
import { isIdle } from './is-idle.ts'
import { type LoadedHost, loadHost } from './load-host.ts'
import { addKeys, NO_ROOT, readLinked } from './read-blocks.ts'
import { readReplay } from './read-replay.ts'
import { createCronRenewals } from './renew-cron.ts'
import { takeSnapshot } from './take-snapshot.ts'
import { createTenantShares } from './tenant-shares.ts'
import { createFireWrites } from './write-fires.ts'

export interface ChainTimers {
  /** There may be a new block. */
  look(): void
  /** There may be a command to answer. */
  ask(): void
  /** Why timers do not advance, in words that may be shown; null: they do. */
  problem(): string | null
  stop(): Promise<void>
}

interface ChainTimerPorts {
  readonly lease: TimerLease
  readonly store: TimerStore
  readonly chain: AgreedReads
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly telemetry: Telemetry
  readonly settings: ChainTimerSettings
  /** The spending rules; left out: there are none. */
  readonly judgeFires?: JudgeFires
  /** How much of the chain's nodes each tenant may use; left out: whatever fits. */
  readonly pace?: UpstreamPace | undefined
  view(): ChainView | null
  /** Cancels what is still in line although its block was dropped. */
  cancelWithdrawn(chainId: number): Promise<void>
  onFenced(): void
}

/** The loaded state, mutable. */
type Own = { -readonly [K in keyof LoadedHost]: LoadedHost[K] }

/** The most blocks that are given to the kernel and written together. */
const MAX_BLOCKS = 50
const MAX_COMMANDS = 250
/** With more fires than this in memory, blocks are taken one by one until there are fewer. */
const MAX_OBSERVED = 2_000
/** Blocks and commands after which a new snapshot pays off; more if it is large. */
const SNAPSHOT_AFTER = 1_000
const MAX_RETRY_MS = 5_000

export function createChainTimers(ports: ChainTimerPorts): ChainTimers {
  const { lease, store, chain, clock, random, telemetry, settings } = ports
  const { chainId } = lease
  const findIncarnations = createIncarnationCache(store)
  const readShares = createTenantShares({ chainId, store, percent: settings.tenantSharePercent })
  const cron = createCronRenewals({ chainId, store, chain, clock, random, blockTimeMs: settings.blockTimeMs })
  const rest = () => pause(clock, 0)
  let loaded: Own | null = null
  let isStopped = false
  let failures = 0
  let problem: string | null = null
  const waits = createHostWaits(clock)
  const checks = createConditionChecks({
    ...{ chainId, chain, clock, telemetry, pace: ports.pace },
    onKnown: waits.look,
    onBroken: breakDown,
  })
  const fireWrites = createFireWrites({
    ...{ lease, store, chain, settings, check },
    isWaiting: checks.isWaiting,
    handOver: createHandOver({
      ...{ chainId, findIncarnations, clock, random, telemetry },
      ...(ports.judgeFires !== undefined && { judgeFires: ports.judgeFires }),
    }),
    meterFires: createFireMeter(store, lease),
    ask: waits.ask,
  })
  const running = run().catch(breakDown)

  function breakDown(error: unknown): void {
    telemetry.log('error', 'timers of a chain broke; another node takes over', { chainId, error })
    end()
    ports.onFenced()
  }

  function end(): void {
    isStopped = true
    waits.stop()
    checks.stop()
  }

  async function run(): Promise<void> {
    // Not before the caller has the returned object.
    await Promise.resolve()
    while (!isStopped) {
      try {
        const hasMore = await step()
        failures = 0
        problem = null
        if (!hasMore) await waits.untilWoken()
      } catch (error) {
        if (!(error instanceof ChainUnavailable) && !(error instanceof StoreUnavailable)) throw error
        // The write may or may not have happened: the stored state decides.
        if (error instanceof StoreUnavailable) loaded = null
        note(error)
        waits.ask()
        await waits.untilRetry(backOff(failures, { first: 2 * settings.retryMs, max: MAX_RETRY_MS }))
      }
    }
  }

  function note(error: Error): void {
    if (problem !== error.message)
      telemetry.log('warn', 'timers wait; Drover tries again', { chainId, error: error.message })
    problem = error.message
    failures += 1
  }

  async function step(): Promise<boolean> {
    loaded ??= await load()
    // Before anything is looked at: what comes meanwhile is looked at next time.
    const { isAsked } = waits.take()
    await settleConditions(loaded, checks.known())
    const pending = isAsked ? await store.readPendingCommands(chainId, MAX_COMMANDS) : []
    if (pending.length > 0) waits.ask()
    if (await advance(loaded, pending.length > 0)) return true
    const { tip } = loaded.history.tip()
    // Not while blocks are missed: times that have passed are not made up.
    if (tip !== null && (await cron.renew(tip.height))) waits.ask()
    if (pending.length === 0) return false
    if (tip === null) throw new ChainUnavailable('no block of the chain has been seen yet')
    await answer(loaded, pending)
    return true
  }

  async function load(): Promise<Own> {
    const startedAt = clock.monotonic()
    await ports.cancelWithdrawn(chainId)
    cron.expectAny()
    const host = await loadHost(chainId, await store.loadTimers(chainId), settings.reorgDepth, rest)
    const live = host.history.tip().kernel.timers.size
    if (live > 0) {
      const tookMs = Math.round(clock.monotonic() - startedAt)
      telemetry.log('info', 'took over the timers of a chain', { chainId, fence: lease.fence, timers: live, tookMs })
    }
    checks.noteBlock(host.history.tip().tip?.height ?? -1)
    checks.replace(await findOpenChecks(host.observed, findIncarnations))
    fireWrites.reset()
    return { ...host }
  }

  /** Stores what became known, and hands over what it makes ready. */
  async function settleConditions(own: Own, known: readonly KnownCondition[]): Promise<void> {
    if (known.length > 0) {
      const results = known.map(toResult)
      check(await store.saveConditions(lease, results))
      own.observed = withConditions(own.observed, results)
      checks.forget(known.map(({ fire }) => fire))
      countFires(results)
      fireWrites.noteKnown()
    }
    const left = await fireWrites.writeReady(own.history.tip(), own.observed)
    if (left === null) return
    own.observed = left
    // There may be more.
    waits.look()
  }

  /** True if there is more to do at once. */
  async function advance(own: Own, isWanted: boolean): Promise<boolean> {
    const head = ports.view()?.head ?? null
    if (head === null || (!isWanted && isIdle(own, ports.view(), settings.finality))) return false
    const { tip } = own.history.tip()
    telemetry.gauge('drover_timer_lag_blocks', Math.max(0, head.number - (tip?.height ?? head.number)), { chainId })
    if (tip !== null && head.number <= tip.height) {
      const here = ports.view()?.header(tip.height) ?? null
      // A lower head proves nothing: only a different block in its place is news.
      return here !== null && here.hash !== tip.hash ? await replay(own, head.number) : false
    }
    const start = head.number - settings.reorgDepth
    const mayJump = tip === null || tip.height < start
    if (mayJump && isIdle(own, ports.view(), settings.finality)) {
      await jump(own, Math.max(0, start))
      return true
    }
    const from = (tip?.height ?? -1) + 1
    const most = own.observed.length > MAX_OBSERVED ? 1 : MAX_BLOCKS
    const blocks = await readLinked(chain, from, Math.min(head.number, from + most - 1))
    if (tip !== null && blocks[0]?.parentHash !== tip.hash) return await replay(own, head.number)
    const keyed = await addKeys(chain, blocks, tip?.stateRoot ?? NO_ROOT, own.history.tip())
    await apply(own, { from: own.history.tip(), blocks: keyed, isRewind: false })
    return own.history.tip().tip?.height !== head.number
  }

  /** Skips blocks: without timers there is nothing to miss. */
  async function jump(own: Own, height: number): Promise<void> {
    const [block] = await chain.readAgreedBlocks([height])
    if (block === undefined) throw new ChainUnavailable('no block was read')
    const keyed = await addKeys(chain, [block], NO_ROOT)
    await apply(own, { from: own.history.tip(), blocks: keyed, isRewind: false })
    own.history.forgetBelow(height)
  }

  /** Goes back to where the chain left the applied branch, and gives the kernel the blocks that are there now. */
  async function replay(own: Own, head: number): Promise<boolean> {
    const found = await readReplay({ chain, chainId, telemetry }, own.history, { head, most: MAX_BLOCKS })
    if (found === null) return false
    await apply(own, { ...found, isRewind: true })
    telemetry.count('drover_timer_rewinds_total', { chainId })
    return own.history.tip().tip?.height !== head
  }

  async function apply(
    own: Own,
    { from, blocks, isRewind }: { from: HostState; blocks: BlocksWrite['blocks']; isRewind: boolean },
  ): Promise<void> {
    const shown = own.history.tip()
    const rewindTo = isRewind ? (from.tip?.height ?? -1) : null
    const commands = isRewind ? own.history.commandsAbove(rewindTo ?? -1) : []
    const countWaiting = (tenant: string) => checks.countOf(tenant, rewindTo ?? Number.POSITIVE_INFINITY)
    const applied = await applyBlocks({ findIncarnations, countWaiting }, { from, shown, blocks, commands })
    const { fires, changes } = applied
    const last = blocks.at(-1)
    if (last === undefined) return
    const kept = rewindTo === null ? own.observed : own.observed.filter(({ height }) => height <= rewindTo)
    const open = new Set(applied.checks.map(({ fire }) => fire))
    const observed = [...kept, ...fires.filter(({ state }) => state === 'OBSERVED')]
    const host = applied.states.at(-1) ?? from
    const write = { rewindTo, blocks, fires, changes, expected: shown.tip, host, observed, open }
    own.observed = await fireWrites.writeBlocks(write)
    if (rewindTo !== null) own.history.rewind(rewindTo)
    for (const state of applied.states) own.history.push(state)
    own.lastActivity = applied.lastActivity ?? own.lastActivity
    if (rewindTo !== null) checks.dropAbove(rewindTo)
    checks.noteBlock(last.height)
    checks.add(applied.checks)
    countFires(fires.filter((fire) => !open.has(fire)))
    telemetry.gauge('drover_timers_live', own.history.tip().kernel.timers.size, { chainId })
    cron.note(fires)
    if (isRewind) await ports.cancelWithdrawn(chainId)
    await keepSnapshot(own)
  }

  function countFires(fires: readonly Pick<NewFire, 'skipReason'>[]): void {
    for (const { skipReason } of fires)
      telemetry.count('drover_timer_fires_total', { chainId, result: skipReason ?? 'fired' })
  }

  async function answer(own: Own, pending: Awaited<ReturnType<TimerStore['readPendingCommands']>>): Promise<void> {
    const before = own.history.tip()
    if (before.tip === null) return
    const ids = pending.flatMap(({ command }) => ('timerId' in command && !isNew(command) ? [command.timerId] : []))
    const timers = new Map((await store.findTimers(ids)).map((timer) => [timer.id, timer]))
    const shares = await readShares(before, pending, timers)
    const { host, results, changes, logged } = answerCommands(before, pending, timers, shares)
    const queue = describeQueue(host)
    check(await store.writeCommands({ lease, expected: before.tip, expectedSeq: before.seq, results, changes, queue }))
    own.history.amend(host, logged)
    telemetry.gauge('drover_timers_live', host.kernel.timers.size, { chainId })
  }

  async function keepSnapshot(own: Own): Promise<void> {
    const { tip, seq, kernel } = own.history.oldest()
    // What a later takeover would not have to replay.
    const gain = tip === null ? 0 : tip.height - own.stored.height + seq - own.stored.seq
    if (tip === null || gain < SNAPSHOT_AFTER + kernel.timers.size / 8) return
    const snapshot = await takeSnapshot(own.history.oldest(), rest)
    check(await store.saveSnapshot(lease, snapshot))
    own.stored = { height: tip.height, seq }
  }

  /** Throws if nothing was written. */
  function check({ type }: BlocksWriteResult): void {
    if (type === 'written') return
    if (type === 'not_judged') throw new StoreUnavailable('the spending rules change too fast')
    if (type === 'stale') throw new StoreUnavailable('the timers of the chain were changed by another write')
    end()
    telemetry.count('drover_fence_refusals_total', { operation: 'timers' })
    ports.onFenced()
    throw new StoreUnavailable('the lease of the timers is gone')
  }

  return {
    look: waits.look,
    ask: waits.ask,
    problem: () => problem,
    stop: async () => {
      end()
      await running
    },
  }
}
