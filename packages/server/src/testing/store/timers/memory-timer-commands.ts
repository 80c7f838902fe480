/** Commands of the model: asked by anybody, answered by the node that holds the timers of the chain. */
import { TOO_MANY_FAILURES } from '../../../core/timer/timer.ts'
import type { StoredCommand } from '../../../core/timer/timer-command.ts'
import type {
  CommandInsert,
  CommandsWrite,
  NewCommand,
  TimerChange,
  TimerStore,
  TimerWriteResult,
} from '../../../ports/timer-store.ts'
import { isTip, type MemoryCommand, type MemoryTimer, type MemoryTimerState } from './memory-timer-state.ts'

type MemoryCommands = Pick<TimerStore, 'insertCommands' | 'findCommands' | 'readPendingCommands' | 'writeCommands'>

const ENDS = { cancel: 'CANCELLED', pause: 'PAUSED', retire: 'RETIRED' } as const
const ANSWERS_KEPT_MS = 10 * 60_000
export const UNANSWERED = { answer: null, answeredAt: null, isLogged: false } as const

export function changeTimers(state: MemoryTimerState, changes: readonly TimerChange[]): void {
  for (const { kernelId, isLive, dueHeight, fireSeq, ended, spec } of changes) {
    const timer = state.findByKernelId(kernelId)
    if (timer === undefined) continue
    const isRetired = timer.endReason === TOO_MANY_FAILURES
    const isEnded = timer.state === 'PAUSED' || timer.state === 'CANCELLED' || isRetired
    state.timers.set(timer.id, {
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

export function createMemoryTimerCommands(state: MemoryTimerState): MemoryCommands {
  const { commands, timers, incarnations } = state
  let place = 0

  function start(write: CommandsWrite, { logged, started }: CommandsWrite['results'][number]): void {
    if (started === null || logged === null) return
    const { command } = logged
    if (command.type !== 'set' && command.type !== 'reschedule') return
    const { spec } = command
    const label = command.type === 'set' ? command.label : null
    const { timerId, kernelId, dueHeight } = started
    const before = timers.get(timerId)
    const fresh = { state: 'ACTIVE', endReason: null, kernelId, spec, dueHeight } as const
    if (label !== null) {
      place += 1
      const { by: createdBy, ...shown } = label
      const born = { createdHeight: write.expected.height, createdAt: state.now(), createdBy, place }
      timers.set(timerId, { id: timerId, ...shown, ...fresh, fireCount: 0, baseFires: 0, failures: 0, ...born })
    } else if (before !== undefined) {
      const failures = command.type === 'reschedule' && command.isNext ? before.failures : 0
      timers.set(timerId, { ...before, ...fresh, failures, baseFires: before.fireCount })
    }
    const { tenant, createdBy, metadata } = timers.get(timerId) as MemoryTimer
    incarnations.set(kernelId, { kernelId, timerId, tenant, createdBy, metadata, spec })
  }

  function end({ command }: NonNullable<CommandsWrite['results'][number]['logged']>): void {
    if (command.type !== 'cancel' && command.type !== 'pause' && command.type !== 'retire') return
    const timer = timers.get(command.timerId)
    const endReason = command.type === 'retire' ? TOO_MANY_FAILURES : null
    if (timer !== undefined) timers.set(timer.id, { ...timer, state: ENDS[command.type], dueHeight: null, endReason })
  }

  function forgetOld(): void {
    for (const { id, answeredAt, isLogged } of commands.values())
      if (answeredAt !== null && !isLogged && answeredAt < state.now() - ANSWERS_KEPT_MS) commands.delete(id)
  }

  function writeCommands(write: CommandsWrite): TimerWriteResult {
    const { lease, expected, expectedSeq, results } = write
    const chain = state.chainOf(lease.chainId)
    if (!state.isHeldBy(lease)) return { type: 'fenced' }
    if (!isTip(chain.tip, expected) || chain.seq !== expectedSeq) return { type: 'stale' }
    for (const result of results) {
      const { id, answer, logged } = result
      const command = commands.get(id)
      if (command !== undefined) {
        const requestId = answer.type === 'refused' ? null : command.requestId
        commands.set(id, { ...command, answer, requestId, answeredAt: state.now(), isLogged: logged !== null })
      }
      start(write, result)
      if (logged === null) continue
      chain.log.push(logged)
      chain.seq = logged.seq
      end(logged)
    }
    chain.queue = structuredClone(write.queue)
    changeTimers(state, write.changes)
    forgetOld()
    state.notify({ type: 'timers.answered', chainId: lease.chainId })
    return { type: 'written' }
  }

  function insert(chainId: number, { id, command }: NewCommand, maxPending: number): CommandInsert {
    const label = command.type === 'set' ? command.label : null
    const { tenant = '', requestId = null, requestDigest: digest = null } = label ?? {}
    const earlier = [...commands.values()].find(
      (each) =>
        requestId !== null && each.requestId === requestId && each.tenant === tenant && each.chainId === chainId,
    )
    if (earlier?.command.type === 'set') {
      const { timerId } = earlier.command
      return { type: 'existing', commandId: earlier.id, timerId, isSame: earlier.digest === digest }
    }
    const pending = [...commands.values()].filter((each) => each.chainId === chainId && each.answer === null)
    if (pending.length >= maxPending) return { type: 'too_many' }
    commands.set(id, structuredClone({ id, chainId, command, tenant, requestId, digest, ...UNANSWERED }))
    return { type: 'inserted' }
  }

  return {
    insertCommands: async (chainId, asked, maxPending) => {
      const outcomes = asked.map((each) => insert(chainId, each, maxPending))
      if (outcomes.some(({ type }) => type === 'inserted')) state.notify({ type: 'timers.asked', chainId })
      return outcomes
    },
    findCommands: async (ids) => ids.map((id) => presentCommand(commands.get(id))),
    readPendingCommands: async (chainId, limit) =>
      [...commands.values()]
        .filter((each) => each.chainId === chainId && each.answer === null)
        .slice(0, limit)
        .flatMap((each) => presentCommand(each) ?? []),
    writeCommands: async (write) => writeCommands(write),
  }
}

function presentCommand(command: MemoryCommand | undefined): StoredCommand | null {
  if (command === undefined) return null
  const { id, chainId, command: body, answer } = command
  return structuredClone({ id, chainId, command: body, answer })
}
