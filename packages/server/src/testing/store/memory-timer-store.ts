/** Timers as a model in memory: same answers and refusals as PostgreSQL gives, each call one step. */
import { mayUse } from '../../core/access/caller.ts'
import type { Hash } from '../../core/hex.ts'
import type { Fire, KernelId, ManagedTimer, TimerId } from '../../core/timer/timer.ts'
import type { CommandId, LoggedCommand, StoredCommand } from '../../core/timer/timer-command.ts'
import { isTerminal } from '../../core/transaction/transaction.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Notice } from '../../ports/notice.ts'
import type { NewTransaction, Store } from '../../ports/store.ts'
import type {
  BlocksWrite,
  BlocksWriteResult,
  CommandsWrite,
  Incarnation,
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
  readonly transactions: Pick<Store, 'insertTransactions' | 'findTransactions' | 'countQueued' | 'listAccounts'>
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
  fires: Fire[]
}

interface MemoryCommand extends StoredCommand {
  readonly tenant: string
  readonly requestId: string | null
  readonly digest: Hash | null
  readonly answeredAt: number | null
  readonly isLogged: boolean
}

type MemoryTimer = ManagedTimer & { readonly baseFires: number }

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
      const isEnded = timer.state === 'PAUSED' || timer.state === 'CANCELLED'
      timers.set(timer.id, {
        ...timer,
        spec: spec ?? timer.spec,
        dueHeight: isEnded ? null : dueHeight,
        fireCount: timer.baseFires + fireSeq,
        state: isEnded ? timer.state : isLive ? 'ACTIVE' : (ended?.state ?? 'DONE'),
        endReason: isEnded ? null : (ended?.reason ?? null),
      })
    }
  }

  async function countOpen(timerId: TimerId, fires: readonly Fire[]): Promise<number> {
    const ids = fires.flatMap((fire) => (fire.timerId === timerId && fire.txId !== null ? [fire.txId] : []))
    return (await transactions.findTransactions(ids)).filter((tx) => !isTerminal(tx)).length
  }

  /** What became of each that is to be handed over. */
  async function handOver({ lease, handOffs, maxQueued }: BlocksWrite) {
    const outcomes = new Map<Hash, Pick<Fire, 'state' | 'txId' | 'skipReason'>>()
    const turns = new Map<TimerId, number>()
    const { fires } = chainOf(lease.chainId)
    for (const { deliverId, fireKey, timerId, transaction, maxOpen, isRefused } of handOffs) {
      if (fires.some((fire) => fire.fireKey === fireKey && fire.state === 'QUEUED')) continue
      const open = turns.get(timerId) ?? (await countOpen(timerId, fires))
      turns.set(timerId, open + 1)
      const { lane } = transaction.intent
      const line = (await transactions.countQueued()).filter(
        (depth) => depth.lane.chainId === lane.chainId && depth.lane.signer === lane.signer,
      )
      const queued = line.reduce((sum, depth) => sum + depth.queued, 0)
      const fullness = queued >= maxQueued ? 'queue_full' : null
      const skipReason = isRefused === true ? 'refused_by_rule' : open + 1 > maxOpen ? 'overlap' : fullness
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
    const outcomes = await handOver(write)
    chain.tip = { height: last.height, hash: last.hash, stateRoot: last.stateRoot }
    chain.blocks = [...chain.blocks.filter(({ height }) => height <= rewindTo), ...structuredClone(blocks)]
    chain.fires = chain.fires
      .filter(({ height, state }) => height <= rewindTo || state === 'QUEUED')
      .map((fire) => (fire.height > rewindTo ? { ...fire, isOrphaned: true } : fire))
      .map((fire) =>
        fire.state === 'OBSERVED' && outcomes.has(fire.deliverId) ? { ...fire, ...outcomes.get(fire.deliverId) } : fire,
      )
    for (const fire of write.fires) {
      const index = chain.fires.findIndex(({ fireKey }) => fireKey === fire.fireKey)
      const known = chain.fires[index]
      if (known === undefined) {
        chain.fires.push({ ...fire, isOrphaned: false, aliases: [], txId: null, ...outcomes.get(fire.deliverId) })
      } else if (known.state === 'QUEUED') {
        const isNew = fire.deliverId !== known.deliverId && !known.aliases.includes(fire.deliverId)
        const aliases = isNew ? [fire.deliverId, ...known.aliases].slice(0, MAX_ALIASES) : known.aliases
        const { height, blockHash, position } = fire
        chain.fires[index] = { ...known, height, blockHash, position, isOrphaned: false, aliases }
      }
    }
    change(write.changes)
    return { type: 'written' }
  }

  function start(write: CommandsWrite, { logged, started }: CommandsWrite['results'][number]): void {
    if (started === null || logged?.command.type !== 'set') return
    const { spec, label } = logged.command
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
        createdHeight: write.expected.height,
        createdAt: clock.now(),
        createdBy,
        place,
      })
    } else if (before !== undefined) {
      const fires = before.fireCount
      timers.set(timerId, { ...before, kernelId, spec, state: 'ACTIVE', endReason: null, dueHeight, baseFires: fires })
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
      const timer = own.type === 'cancel' || own.type === 'pause' ? timers.get(own.timerId) : undefined
      if (timer !== undefined)
        timers.set(timer.id, { ...timer, state: own.type === 'pause' ? 'PAUSED' : 'CANCELLED', dueHeight: null })
    }
    change(write.changes)
    for (const { id, answeredAt, isLogged } of commands.values()) {
      if (answeredAt !== null && !isLogged && answeredAt < clock.now() - ANSWERS_KEPT_MS) commands.delete(id)
    }
    notify({ type: 'timers.answered', chainId: lease.chainId })
    return { type: 'written' }
  }

  const present = ({ baseFires: _baseFires, ...timer }: MemoryTimer): ManagedTimer => structuredClone(timer)
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
      return timer === undefined ? null : present(timer)
    },
    findTimers: async (ids) => [...new Set(ids)].flatMap((id) => timers.get(id) ?? []).map(present),
    findTimersByKernelId: async (kernelIds) => kernelIds.flatMap((id) => byKernelId(id) ?? []).map(present),
    findTimerByRequest: async (chainId, tenant, requestId) => {
      const found = [...timers.values()].find(
        (timer) => timer.requestId === requestId && timer.tenant === tenant && timer.spec.chainId === chainId,
      )
      return found === undefined ? null : present(found)
    },
    listTimers: async ({ chainId, owner, target, states, reach }, { before, limit }) =>
      newestFirst()
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
        .map(present),
    listFires: async (timerId, { before, limit }) =>
      [...chains.values()]
        .flatMap(({ fires }) => fires.filter((fire) => fire.timerId === timerId))
        .sort((a, b) => b.height - a.height || b.position - a.position)
        .filter(
          ({ height, position }) =>
            before === null || height < before.height || (height === before.height && position < before.position),
        )
        .slice(0, limit)
        .map((fire) => structuredClone(fire)),
    readTip: async (chainId) => chainOf(chainId).tip,
    listen: (listener) => {
      const own: typeof listener = (notice) => listener(notice)
      listeners.add(own)
      return () => listeners.delete(own)
    },
    close: async () => listeners.clear(),
  }
}

function presentCommand(command: MemoryCommand | undefined): StoredCommand | null {
  if (command === undefined) return null
  const { id, chainId, command: body, answer } = command
  return structuredClone({ id, chainId, command: body, answer })
}
