/** Decides the pending commands one after the other, each on the state that the one before left. */
import type { Refusal, Timer } from '@drover/timers'
import { isBetweenTimes, type ManagedTimer, type TimerId } from '../../core/timer/timer.ts'
import type { CommandAnswer, LoggedCommand, StoredCommand, TimerCommand } from '../../core/timer/timer-command.ts'
import type { CommandResult, TimerChange } from '../../ports/timer-store.ts'
import { admitCommand, type HostState } from './host-state.ts'
import { listChanges } from './list-changes.ts'
import { NO_SHARES, type TenantShares } from './tenant-shares.ts'

export interface AnsweredCommands {
  readonly host: HostState
  readonly results: readonly CommandResult[]
  readonly changes: readonly TimerChange[]
  readonly logged: readonly LoggedCommand[]
}

/** `timers`: the stored timers that the commands are about; none for those that set a new one. */
export function answerCommands(
  before: HostState,
  commands: readonly StoredCommand[],
  timers: ReadonlyMap<TimerId, ManagedTimer>,
  shares: TenantShares = NO_SHARES,
): AnsweredCommands {
  let host = before
  const results: CommandResult[] = []
  for (const command of takeApart(commands)) {
    const answered = answerOne(host, command, timers, shares)
    host = answered.host
    results.push(answered.result)
  }
  const updated = new Map(
    results.flatMap(({ logged }) =>
      logged?.command.type === 'update' ? [[logged.command.kernelId, logged.command.spec] as const] : [],
    ),
  )
  const changes = listChanges(before.kernel, host.kernel, new Map())
    .filter(({ kernelId }) => updated.has(kernelId))
    .map((change) => ({ ...change, ...(updated.has(change.kernelId) && { spec: updated.get(change.kernelId) }) }))
  return {
    host,
    results,
    changes: changes as readonly TimerChange[],
    logged: results.flatMap(({ logged }) => (logged === null ? [] : [logged])),
  }
}

/** A write changes a timer once: a second command for the same timer waits for the next write. */
function takeApart(commands: readonly StoredCommand[]): readonly StoredCommand[] {
  const seen = new Set<string>()
  const taken: StoredCommand[] = []
  for (const stored of commands) {
    const { command } = stored
    if ('timerId' in command) {
      if (seen.has(command.timerId)) break
      seen.add(command.timerId)
    }
    taken.push(stored)
  }
  return taken
}

function answerOne(
  host: HostState,
  { id, command }: StoredCommand,
  timers: ReadonlyMap<TimerId, ManagedTimer>,
  shares: TenantShares,
): { readonly host: HostState; readonly result: CommandResult } {
  const refuse = (answer: CommandAnswer) => ({ host, result: { id, answer, logged: null, started: null } })
  const outcome = findUnknown(command) ?? findStale(command, timers) ?? admitCommand(host, command)
  if (outcome.type === 'refused') {
    const { type, code, message } = outcome
    return refuse({ type, code, message })
  }
  const isOver = shares.take(command)
  if (isOver !== null) return refuse(isOver)
  const { kernelId, detail } = outcome
  const seq = host.seq + 1
  const timer = kernelId === null ? undefined : outcome.host.kernel.timers.get(kernelId)
  return {
    host: { ...outcome.host, seq },
    result: {
      id,
      answer: { type: 'accepted', kernelId, ...(detail !== undefined && { detail }) },
      logged: { id, seq, height: host.tip?.height ?? 0, command },
      started: isStart(command) && timer !== undefined ? startedOf(command.timerId, timer) : null,
    },
  }
}

function isStart(command: TimerCommand): command is TimerCommand & { readonly type: 'set' | 'reschedule' } {
  return command.type === 'set' || command.type === 'reschedule'
}

/** It sets a timer that is not stored yet. */
export function isNew(command: TimerCommand): boolean {
  return command.type === 'set' && command.label !== null
}

function startedOf(timerId: string, { timerId: kernelId, dueHeight }: Timer): CommandResult['started'] {
  return { timerId, kernelId, dueHeight: dueHeight === null ? null : Number(dueHeight) }
}

const KNOWN: ReadonlySet<string> = new Set<TimerCommand['type']>([
  ...(['set', 'update', 'reschedule', 'cancel', 'pause', 'retire', 'params'] as const),
])

/** From a node of another version: it must not hold up the others. */
function findUnknown({ type }: TimerCommand): Refusal | null {
  if (KNOWN.has(type)) return null
  const message = 'the node that runs the timers has another version and does not know this request'
  return { type: 'refused', code: 'ERR_INVALID_PARAM', message }
}

/** The timer was changed first: the request matches its old state, not its current one. */
function findStale(command: TimerCommand, timers: ReadonlyMap<TimerId, ManagedTimer>): Refusal | null {
  const refuse = (message: string): Refusal => ({ type: 'refused', code: 'ERR_TIMER_NOT_FOUND', message })
  if (command.type === 'params') return null
  if (isNew(command)) return null
  const timer = timers.get(command.timerId)
  if (timer === undefined) return refuse('the timer is not there')
  if (command.type === 'set') return timer.state === 'PAUSED' ? null : refuse('the timer is not paused')
  if (timer.kernelId !== command.kernelId) return refuse('the timer was resumed meanwhile')
  return isFit(command, timer) ? null : refuse(`the timer is ${timer.state}`)
}

/** What the kernel knows is what the store says: both are written together. */
function isFit(command: TimerCommand, timer: ManagedTimer): boolean {
  // If a reorg dropped the fire meanwhile, its time is still to come.
  if (command.type === 'reschedule' && command.isNext) return isBetweenTimes(timer)
  if (command.type === 'pause' || command.type === 'update') return timer.state === 'ACTIVE' && !isBetweenTimes(timer)
  return timer.state === 'ACTIVE' || (command.type === 'cancel' && timer.state === 'PAUSED')
}
