/** Timers as a model in memory: same answers and refusals as PostgreSQL gives, each call one step. */
import { mayUse } from '../../core/access/caller.ts'
import type { Hash } from '../../core/hex.ts'
import type { Lane } from '../../core/lane/lane.ts'
import {
  type Fire,
  isBetweenTimes,
  type KernelId,
  type ManagedTimer,
  type TimerCost,
  type TimerId,
  TOO_MANY_FAILURES,
} from '../../core/timer/timer.ts'
import type { CommandId, LoggedCommand, StoredCommand } from '../../core/timer/timer-command.ts'
import { isTerminal, type Transaction } from '../../core/transaction/transaction.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Notice } from '../../ports/notice.ts'
import type { NewTransaction, Store } from '../../ports/store.ts'
import type {
  BlocksWrite,
  BlocksWriteResult,
  CommandsWrite,
  FirePlace,
  Incarnation,
  MeterResult,
  TimerBlock,
  TimerChange,
  TimerLease,
  TimerSnapshot,
  TimerStore,
  TimerTip,
  TimerWriteResult,
} from '../../ports/timer-store.ts'
import { bindingSubjects } from '../../store/rules/binding-subjects.ts'

interface MemoryPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly transactions: Pick<
    Store,
    'insertTransactions' | 'findTransactions' | 'countQueued' | 'listLaneStatus' | 'listAccounts'
  >
}

export interface MemoryTimerStore extends TimerStore {
  listen(listener: (notice: Notice) => void): () => void
}

interface MemoryChain {
  owner: string | null
  fence: number
  expiresAt: number
  tip: TimerTip | null
  seq: number
  snapshot: TimerSnapshot | null
  blocks: TimerBlock[]
  log: LoggedCommand[]
  fires: MemoryFire[]
  queue: unknown
}

/** `isWithdrawn`: its transaction was in line when its block was dropped. `isMetered`: its cost has been added up. */
type MemoryFire = Omit<Fire, 'txState'> & { readonly isWithdrawn: boolean; readonly isMetered: boolean }

interface MemoryCommand extends StoredCommand {
  readonly tenant: string
  readonly requestId: string | null
  readonly digest: Hash | null
  readonly answeredAt: number | null
  readonly isLogged: boolean
}

/** The cost is added up from the transactions when it is read. */
type MemoryTimer = Omit<ManagedTimer, 'cost'> & { readonly baseFires: number; readonly failures: number }

const ENDS = { cancel: 'CANCELLED', pause: 'PAUSED', retire: 'RETIRED' } as const
const MAX_ALIASES = 16
const ANSWERS_KEPT_MS = 10 * 60_000

export function createMemoryTimerStore({ clock, transactions }: MemoryPorts): MemoryTimerStore {
  const chains = new Map<number, MemoryChain>()
  const commands = new Map<CommandId, MemoryCommand>()
  const timers = new Map<TimerId, MemoryTimer>()
  const incarnations = new Map<KernelId, Incarnation>()
  const listeners = new Set<(notice: Notice) => void>()
  let place = 0

  function chainOf(chainId: number): MemoryChain {
    const known = chains.get(chainId)
    if (known !== undefined) return known
    const made = {
      owner: null,
      fence: 0,
      expiresAt: Number.NEGATIVE_INFINITY,
      tip: null,
      seq: 0,
      snapshot: null,
      blocks: [],
      log: [],
      fires: [],
      queue: null,
    }
    chains.set(chainId, made)
    return made
  }

  function notify(notice: Notice): void {
    queueMicrotask(() => {
      for (const listener of [...listeners]) listener(notice)
    })
  }

  const isHeld = ({ owner, expiresAt }: MemoryChain) => owner !== null && expiresAt > clock.now()
  const isHeldBy = ({ chainId, nodeId, fence }: TimerLease) => {
    const chain = chainOf(chainId)
    return isHeld(chain) && chain.owner === nodeId && chain.fence === fence
  }
  const byKernelId = (kernelId: KernelId) => [...timers.values()].find((timer) => timer.kernelId === kernelId)
  const isTip = (tip: TimerTip | null, expected: BlocksWrite['expected']) =>
    expected === null ? tip === null : tip?.height === expected.height && tip.hash === expected.hash

  function change(changes: readonly TimerChange[]): void {
    for (const { kernelId, isLive, dueHeight, fireSeq, ended, spec } of changes) {
      const timer = byKernelId(kernelId)
      if (timer === undefined) continue
      const isRetired = timer.endReason === TOO_MANY_FAILURES
      const isEnded = timer.state === 'PAUSED' || timer.state === 'CANCELLED' || isRetired
      timers.set(timer.id, {
        ...timer,
        spec: spec ?? timer.spec,
        failures: spec === undefined ? timer.failures : 0,
        dueHeight: isEnded ? null : dueHeight,
        fireCount: timer.baseFires + fireSeq,
        state: isEnded ? timer.state : isLive ? 'ACTIVE' : (ended?.state ?? 'DONE'),
        endReason: isEnded ? timer.endReason : (ended?.reason ?? null),
      })
    }
  }

  async function countOpen(timerId: TimerId, fires: readonly MemoryFire[]): Promise<number> {
    const ids = fires.flatMap((fire) => (fire.timerId === timerId && fire.txId !== null ? [fire.txId] : []))
    return (await transactions.findTransactions(ids)).filter((tx) => !isTerminal(tx)).length
  }

  async function isOutOfFunds(lane: Lane): Promise<boolean> {
    const [status] = await transactions.listLaneStatus({ lane })
    return status?.health.problems.some(({ code }) => code === 'out_of_funds') ?? false
  }

  async function findSkipReason(
    { transaction, maxOpen, isRefused, isSkippedUnfunded }: BlocksWrite['handOffs'][number],
    { open, isFull }: { readonly open: number; readonly isFull: boolean },
  ): Promise<Fire['skipReason']> {
    if (isRefused === true) return 'refused_by_rule'
    if (isSkippedUnfunded && (await isOutOfFunds(transaction.intent.lane))) return 'low_funds'
    if (open + 1 > maxOpen) return 'overlap'
    return isFull ? 'queue_full' : null
  }

  /** What became of each that is to be handed over. */
  async function handOver({ lease, handOffs, maxQueued }: BlocksWrite) {
    const outcomes = new Map<Hash, Pick<Fire, 'state' | 'txId' | 'skipReason'>>()
    const turns = new Map<TimerId, number>()
    const { fires } = chainOf(lease.chainId)
    for (const handOff of handOffs) {
      const { deliverId, fireKey, timerId, transaction } = handOff
      if (fires.some((fire) => fire.fireKey === fireKey && fire.state === 'QUEUED')) continue
      const open = turns.get(timerId) ?? (await countOpen(timerId, fires))
      turns.set(timerId, open + 1)
      const { lane } = transaction.intent
      const line = (await transactions.countQueued()).filter(
        (depth) => depth.lane.chainId === lane.chainId && depth.lane.signer === lane.signer,
      )
      const queued = line.reduce((sum, depth) => sum + depth.queued, 0)
      const skipReason = await findSkipReason(handOff, { open, isFull: queued >= maxQueued })
      const [inserted] = skipReason === null ? await transactions.insertTransactions([transaction]) : []
      outcomes.set(
        deliverId,
        inserted?.type === 'inserted'
          ? { state: 'QUEUED', txId: transaction.id, skipReason: null }
          : { state: 'SKIPPED', txId: null, skipReason: skipReason ?? 'not_accepted' },
      )
    }
    return outcomes
  }

  /** The transactions of these fires that are in such a state. */
  async function findStates(
    { fires }: MemoryChain,
    isSuch: (tx: Transaction) => boolean,
  ): Promise<ReadonlySet<string>> {
    const ids = fires.flatMap(({ txId }) => txId ?? [])
    return new Set((await transactions.findTransactions(ids)).filter(isSuch).map(({ id }) => id))
  }

  async function findFinal({ fires }: MemoryChain): Promise<ReadonlyMap<string, Transaction>> {
    const found = await transactions.findTransactions(fires.flatMap(({ txId }) => txId ?? []))
    return new Map(found.filter(isTerminal).map((tx) => [tx.id, tx]))
  }

  async function presentFires(fires: readonly MemoryFire[]): Promise<readonly Fire[]> {
    const found = await transactions.findTransactions(fires.flatMap(({ txId }) => txId ?? []))
    const states = new Map(found.map(({ id, state }) => [id, state]))
    return fires.map(({ isWithdrawn: _isWithdrawn, isMetered: _isMetered, ...fire }) =>
      structuredClone({ ...fire, txState: states.get(fire.txId ?? '') ?? null }),
    )
  }

  async function hasUnjudged({ handOffs }: BlocksWrite): Promise<boolean> {
    const ruled = new Set((await transactions.listAccounts()).map(({ subject }) => subject))
    const isUnjudged = ({ judgedBy = [], ...entry }: NewTransaction) =>
      bindingSubjects(entry).some((subject) => ruled.has(subject) && !judgedBy.includes(subject))
    return handOffs.some(({ transaction, isRefused }) => isRefused !== true && isUnjudged(transaction))
  }

  async function writeBlocks(write: BlocksWrite): Promise<BlocksWriteResult> {
    const { lease, expected, blocks } = write
    const rewindTo = write.rewindTo ?? Number.POSITIVE_INFINITY
    const chain = chainOf(lease.chainId)
    if (!isHeldBy(lease)) return { type: 'fenced' }
    if (await hasUnjudged(write)) return { type: 'not_judged' }
    const last = blocks.at(-1)
    if (!isTip(chain.tip, expected) || last === undefined) return { type: 'stale' }
    const keys = new Set(write.fires.map(({ fireKey }) => fireKey))
    const [ended, queued] = [await findStates(chain, isNeverSent), await findStates(chain, isQueued)]
    const voided = chain.fires.filter(
      (fire) => fire.isWithdrawn && keys.has(fire.fireKey) && ended.has(fire.txId ?? ''),
    )
    chain.fires = chain.fires.filter((fire) => !voided.includes(fire))
    const outcomes = await handOver(write)
    chain.queue = structuredClone(write.queue)
    chain.tip = { height: last.height, hash: last.hash, stateRoot: last.stateRoot }
    chain.blocks = [...chain.blocks.filter(({ height }) => height <= rewindTo), ...structuredClone(blocks)]
    chain.fires = chain.fires
      .filter(({ height, state }) => height <= rewindTo || state === 'QUEUED')
      .map((fire) =>
        fire.height > rewindTo && !fire.isOrphaned
          ? { ...fire, isOrphaned: true, isWithdrawn: queued.has(fire.txId ?? '') }
          : fire,
      )
      .map((fire) =>
        fire.state === 'OBSERVED' && outcomes.has(fire.deliverId) ? { ...fire, ...outcomes.get(fire.deliverId) } : fire,
      )
    for (const fire of write.fires) {
      const index = chain.fires.findIndex(({ fireKey }) => fireKey === fire.fireKey)
      const known = chain.fires[index]
      if (known === undefined) {
        const before = voided.find(({ fireKey }) => fireKey === fire.fireKey)
        const names = before === undefined ? [] : [before.deliverId, ...before.aliases]
        const aliases = names.filter((name) => name !== fire.deliverId).slice(0, MAX_ALIASES)
        const fresh = { isOrphaned: false, isWithdrawn: false, isMetered: false, aliases, txId: null }
        chain.fires.push({ ...fire, ...fresh, ...outcomes.get(fire.deliverId) })
      } else if (known.state === 'QUEUED') {
        const isNew = fire.deliverId !== known.deliverId && !known.aliases.includes(fire.deliverId)
        const aliases = isNew ? [fire.deliverId, ...known.aliases].slice(0, MAX_ALIASES) : known.aliases
        const { height, blockHash, position } = fire
        chain.fires[index] = { ...known, height, blockHash, position, isOrphaned: false, isWithdrawn: false, aliases }
      }
    }
    change(write.changes)
    return { type: 'written' }
  }

  function start(write: CommandsWrite, { logged, started }: CommandsWrite['results'][number]): void {
    if (started === null || logged === null) return
    const { command } = logged
    if (command.type !== 'set' && command.type !== 'reschedule') return
    const { spec } = command
    const label = command.type === 'set' ? command.label : null
    const { timerId, kernelId, dueHeight } = started
    const before = timers.get(timerId)
    if (label !== null) {
      place += 1
      const { tenant, name, requestId, requestDigest, metadata, by: createdBy } = label
      timers.set(timerId, {
        id: timerId,
        kernelId,
        tenant,
        name,
        requestId,
        requestDigest,
        spec,
        metadata,
        state: 'ACTIVE',
        endReason: null,
        dueHeight,
        fireCount: 0,
        baseFires: 0,
        failures: 0,
        createdHeight: write.expected.height,
        createdAt: clock.now(),
        createdBy,
        place,
      })
    } else if (before !== undefined) {
      const fires = before.fireCount
      const failures = command.type === 'reschedule' && command.isNext ? before.failures : 0
      const fresh = { state: 'ACTIVE', endReason: null, failures } as const
      timers.set(timerId, { ...before, ...fresh, kernelId, spec, dueHeight, baseFires: fires })
    }
    const { tenant, createdBy, metadata } = timers.get(timerId) as MemoryTimer
    incarnations.set(kernelId, { kernelId, timerId, tenant, createdBy, metadata, spec })
  }

  function writeCommands(write: CommandsWrite): TimerWriteResult {
    const { lease, expected, expectedSeq, results } = write
    const chain = chainOf(lease.chainId)
    if (!isHeldBy(lease)) return { type: 'fenced' }
    if (!isTip(chain.tip, expected) || chain.seq !== expectedSeq) return { type: 'stale' }
    for (const result of results) {
      const { id, answer, logged } = result
      const command = commands.get(id)
      if (command !== undefined) {
        const requestId = answer.type === 'refused' ? null : command.requestId
        commands.set(id, { ...command, answer, requestId, answeredAt: clock.now(), isLogged: logged !== null })
      }
      start(write, result)
      if (logged === null) continue
      chain.log.push(logged)
      chain.seq = logged.seq
      const own = logged.command
      if (own.type !== 'cancel' && own.type !== 'pause' && own.type !== 'retire') continue
      const timer = timers.get(own.timerId)
      const endReason = own.type === 'retire' ? TOO_MANY_FAILURES : null
      if (timer !== undefined) timers.set(timer.id, { ...timer, state: ENDS[own.type], dueHeight: null, endReason })
    }
    chain.queue = structuredClone(write.queue)
    change(write.changes)
    for (const { id, answeredAt, isLogged } of commands.values()) {
      if (answeredAt !== null && !isLogged && answeredAt < clock.now() - ANSWERS_KEPT_MS) commands.delete(id)
    }
    notify({ type: 'timers.answered', chainId: lease.chainId })
    return { type: 'written' }
  }

  async function present(found: readonly MemoryTimer[]): Promise<readonly ManagedTimer[]> {
    const all: ManagedTimer[] = []
    for (const { baseFires: _baseFires, failures, ...timer } of found) {
      const fires = chainOf(timer.spec.chainId).fires.filter(({ timerId }) => timerId === timer.id)
      const sent = await transactions.findTransactions(fires.flatMap(({ txId }) => txId ?? []))
      all.push(structuredClone({ ...timer, cost: { ...sumCost(sent.filter(isTerminal)), failures } }))
    }
    return all
  }

  function meter(
    lease: TimerLease,
    after: FirePlace | null,
    limit: number,
    final: ReadonlyMap<string, Transaction>,
  ): MeterResult {
    if (!isHeldBy(lease)) return { type: 'fenced' }
    const chain = chainOf(lease.chainId)
    const looked = chain.fires
      .filter(({ isMetered, txId }) => txId !== null && !isMetered)
      .filter((fire) => after === null || comparePlaces(fire, after) > 0)
      .sort(comparePlaces)
      .slice(0, limit)
    const metered = looked.filter(({ txId }) => final.has(txId ?? ''))
    chain.fires = chain.fires.map((fire) => (metered.includes(fire) ? { ...fire, isMetered: true } : fire))
    const last = looked.length < limit ? undefined : looked.at(-1)
    const next = last === undefined ? null : { height: last.height, position: last.position }
    const retiring = new Set(metered.flatMap((fire) => (countFailure(fire, final) ? [fire.timerId] : [])))
    for (const timerId of retiring) askToRetire(timers.get(timerId) as MemoryTimer)
    return { type: 'metered', next, open: looked.length - metered.length, retiring: retiring.size }
  }

  /** True if the timer has failed too often with this one. */
  function countFailure({ timerId, txId }: MemoryFire, final: ReadonlyMap<string, Transaction>): boolean {
    const timer = timers.get(timerId)
    const tx = final.get(txId ?? '')
    if (timer === undefined || tx === undefined) return false
    const isFailure = tx.state === 'FAILED_FINAL' || tx.subState === 'rejected'
    const failures = tx.state === 'CONFIRMED' ? 0 : timer.failures + (isFailure ? 1 : 0)
    timers.set(timerId, { ...timer, failures })
    const { maxFailures } = timer.spec
    return isFailure && timer.state === 'ACTIVE' && maxFailures > 0 && failures >= maxFailures
  }

  function askToRetire({ id: timerId, kernelId, tenant, failures, spec }: MemoryTimer): void {
    const { chainId, owner, target } = spec
    const command = { type: 'retire', timerId, kernelId, tenant, failures, spec: { owner, target } } as const
    const open = { answer: null, answeredAt: null, isLogged: false }
    const id = `retire-${timerId}-${failures}`
    commands.set(id, { id, chainId, command, tenant: '', requestId: null, digest: null, ...open })
  }

  const newestFirst = () => [...timers.values()].sort((a, b) => b.place - a.place)

  return {
    keepTimerLeases: async (nodeId, chainIds, ttlMs) =>
      chainIds.flatMap((chainId) => {
        const chain = chainOf(chainId)
        if (isHeld(chain) && chain.owner !== nodeId) return []
        if (!isHeld(chain)) {
          chain.owner = nodeId
          chain.fence += 1
        }
        chain.expiresAt = clock.now() + ttlMs
        return [{ chainId, nodeId, fence: chain.fence }]
      }),
    releaseTimerLeases: async (leases) => {
      for (const lease of leases.filter(isHeldBy)) {
        chainOf(lease.chainId).owner = null
        notify({ type: 'timers.released', chainId: lease.chainId })
      }
    },
    findTimerLease: async (chainId) => {
      const chain = chainOf(chainId)
      return isHeld(chain) ? { chainId, nodeId: chain.owner ?? '', fence: chain.fence } : null
    },
    insertCommand: async ({ id, chainId, command }, maxPending) => {
      const label = command.type === 'set' ? command.label : null
      const { tenant = '', requestId = null, requestDigest: digest = null } = label ?? {}
      const earlier = [...commands.values()].find(
        (each) =>
          requestId !== null && each.requestId === requestId && each.tenant === tenant && each.chainId === chainId,
      )
      if (earlier !== undefined) return { type: 'existing', commandId: earlier.id, isSame: earlier.digest === digest }
      const pending = [...commands.values()].filter((each) => each.chainId === chainId && each.answer === null)
      if (pending.length >= maxPending) return { type: 'too_many' }
      const open = { answer: null, answeredAt: null, isLogged: false }
      commands.set(id, structuredClone({ id, chainId, command, tenant, requestId, digest, ...open }))
      notify({ type: 'timers.asked', chainId })
      return { type: 'inserted' }
    },
    findCommands: async (ids) => ids.map((id) => presentCommand(commands.get(id))),
    readPendingCommands: async (chainId, limit) =>
      [...commands.values()]
        .filter((each) => each.chainId === chainId && each.answer === null)
        .slice(0, limit)
        .flatMap((each) => presentCommand(each) ?? []),
    loadTimers: async (chainId) => {
      const { tip, seq, snapshot, blocks, log, fires } = chainOf(chainId)
      return {
        tip,
        lastSeq: seq,
        snapshot,
        blocks: blocks.filter(({ height }) => height > (snapshot?.block.height ?? -1)),
        commands: log.filter((each) => each.seq > (snapshot?.seq ?? 0)),
        observed: fires.flatMap((fire) => (fire.state === 'OBSERVED' ? [{ ...fire, state: fire.state }] : [])),
      }
    },
    writeBlocks,
    writeCommands: async (write) => writeCommands(write),
    meterFires: async (lease, after, limit) => meter(lease, after, limit, await findFinal(chainOf(lease.chainId))),
    saveSnapshot: async (lease, snapshot) => {
      if (!isHeldBy(lease)) return { type: 'fenced' }
      const chain = chainOf(lease.chainId)
      chain.snapshot = structuredClone(snapshot)
      chain.blocks = chain.blocks.filter(({ height }) => height > snapshot.block.height)
      return { type: 'written' }
    },
    readIncarnations: async (kernelIds) => kernelIds.flatMap((id) => incarnations.get(id) ?? []),
    countTimers: async (chainId, tenant, atMost) =>
      Math.min(
        atMost,
        newestFirst().filter(
          (timer) =>
            timer.spec.chainId === chainId &&
            timer.tenant === tenant &&
            (timer.state === 'ACTIVE' || timer.state === 'PAUSED'),
        ).length,
      ),
    findTimer: async (id) => {
      const timer = timers.get(id)
      return timer === undefined ? null : ((await present([timer]))[0] ?? null)
    },
    listBetweenTimes: async (chainId, limit) =>
      await present(
        [...timers.values()].filter((timer) => timer.spec.chainId === chainId && isBetweenTimes(timer)).slice(0, limit),
      ),
    findTimers: async (ids) => await present([...new Set(ids)].flatMap((id) => timers.get(id) ?? [])),
    findTimersByKernelId: async (kernelIds) => await present(kernelIds.flatMap((id) => byKernelId(id) ?? [])),
    findTimerByRequest: async (chainId, tenant, requestId) => {
      const found = [...timers.values()].find(
        (timer) => timer.requestId === requestId && timer.tenant === tenant && timer.spec.chainId === chainId,
      )
      return found === undefined ? null : ((await present([found]))[0] ?? null)
    },
    listTimers: async ({ chainId, owner, target, states, reach }, { before, limit }) => {
      const found = newestFirst()
        .filter(
          ({ spec, state, place: at }) =>
            (chainId === undefined || spec.chainId === chainId) &&
            (owner === undefined || spec.owner === owner) &&
            (target === undefined || spec.target === target) &&
            (states === undefined || states.includes(state)) &&
            (reach === undefined || mayUse(reach, { chainId: spec.chainId, signer: spec.owner })) &&
            (before === null || at < before),
        )
        .slice(0, limit)
      return await present(found)
    },
    listFires: async (timerId, { before, limit }) => {
      const found = [...chains.values()]
        .flatMap(({ fires }) => fires.filter((fire) => fire.timerId === timerId))
        .sort((a, b) => b.height - a.height || b.position - a.position)
        .filter(
          ({ height, position }) =>
            before === null || height < before.height || (height === before.height && position < before.position),
        )
        .slice(0, limit)
      return await presentFires(found)
    },
    readTip: async (chainId) => chainOf(chainId).tip,
    readQueue: async (chainId) => {
      const { tip, queue, fires } = chainOf(chainId)
      const hasObserved = fires.some(({ state }) => state === 'OBSERVED')
      return tip === null ? null : structuredClone({ tip, queue, hasObserved })
    },
    listWithdrawn: async (chainId, limit) => {
      const chain = chainOf(chainId)
      const queued = await findStates(chain, isQueued)
      const ids = chain.fires.flatMap(({ isWithdrawn, txId }) => (isWithdrawn && txId !== null ? [txId] : []))
      return ids.filter((id) => queued.has(id)).slice(0, limit)
    },
    listen: (listener) => {
      const own: typeof listener = (notice) => listener(notice)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    close: async () => listeners.clear(),
  }
}

const isQueued = ({ state }: Transaction): boolean => state === 'QUEUED'
/** Cancelled in line: no nonce was ever taken for it. */
const isNeverSent = (tx: Transaction): boolean => tx.state === 'CANCELLED' && !('nonce' in tx && tx.nonce !== null)

function comparePlaces(a: FirePlace, b: FirePlace): number {
  return a.height - b.height || a.position - b.position
}

function sumCost(final: readonly Transaction[]): Omit<TimerCost, 'failures'> {
  const inclusions = final.flatMap((tx) => ('inclusion' in tx && tx.inclusion !== null ? [tx.inclusion] : []))
  return {
    sent: inclusions.length,
    reverted: final.filter(({ state }) => state === 'FAILED_FINAL').length,
    gasUsed: inclusions.reduce((sum, { gasUsed }) => sum + gasUsed, 0n),
    feesPaid: inclusions.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n),
  }
}

function presentCommand(command: MemoryCommand | undefined): StoredCommand | null {
  if (command === undefined) return null
  const { id, chainId, command: body, answer } = command
  return structuredClone({ id, chainId, command: body, answer })
}
