/**
 * One chain's timers as a value: the kernel's state, its parameters, and its current block. Only two things move it,
 * blocks and commands of the log, and both are pure: the same ones in the same order give the same state on every node.
 *
 * A command of the log belongs to a height: it acts after that block's delivery and before the next. If a branch of the
 * chain is dropped, the blocks of the other one are applied with the same commands at the same heights.
 */
import {
  applyDelivery,
  cancelTimer,
  createTimerState,
  type Delivery,
  deliver,
  type ParamSchedule,
  paramsAt,
  type Refusal,
  type Retirement,
  replaySets,
  type SetTimerArguments,
  setTimer,
  type TimerCall,
  type TimerState,
  updateTimer,
  voteParams,
} from '@drover/timers'
import { findEarlier, type KernelId, type TimerSpec } from '../../core/timer/timer.ts'
import type { LoggedCommand, TimerCommand } from '../../core/timer/timer-command.ts'
import type { TimerBlock, TimerTip } from '../../ports/timer-store.ts'
import { createEvmParams, liftQuotas, presentParams, readParamChange } from './evm-params.ts'

export interface HostState {
  readonly kernel: TimerState
  readonly params: ParamSchedule
  /** Null before the first block. */
  readonly tip: TimerTip | null
  /** Sequence number of the last applied command. */
  readonly seq: number
}

export interface AppliedBlock {
  readonly host: HostState
  /** Null for the first block of a chain, where nothing can be due. */
  readonly delivery: Delivery | null
  readonly retired: readonly Retirement[]
}

export function createHostState(chainId: number): HostState {
  return { kernel: createTimerState({ chainId: BigInt(chainId) }), params: createEvmParams(), tip: null, seq: 0 }
}

export function applyBlock(host: HostState, block: TimerBlock): AppliedBlock {
  const { height, hash, stateRoot } = block
  const tip = { height, hash, stateRoot }
  if (height === 0) return { host: { ...host, tip }, delivery: null, retired: [] }
  const delivery = deliver(host.kernel, {
    height: BigInt(height),
    parentStateRoot: block.parentStateRoot,
    modifiedKeys: block.keys,
    params: paramsAt(host.params, BigInt(height)),
  })
  const { state, retired } = applyDelivery(host.kernel, delivery)
  return { host: { ...host, kernel: state, tip }, delivery, retired }
}

export type Admission =
  | {
      readonly type: 'accepted'
      readonly host: HostState
      readonly kernelId: KernelId | null
      readonly detail?: unknown
    }
  | Refusal

/** The result of a command that is requested now. */
export function admitCommand(host: HostState, command: TimerCommand): Admission {
  return act(host, command, false)
}

/** Applies commands of the log at one height, in order. Sets that follow one another are applied together. */
export function replayCommands(host: HostState, commands: readonly LoggedCommand[]): HostState {
  let state = host
  for (let from = 0; from < commands.length; ) {
    let to = from
    while (commands[to]?.command.type === 'set') to += 1
    if (to - from > 1) state = replayMany(state, commands.slice(from, to))
    else {
      to = from + 1
      state = commands.slice(from, to).reduce(replayCommand, state)
    }
    from = to
  }
  return state
}

function replayMany(host: HostState, commands: readonly LoggedCommand[]): HostState {
  const { height } = host.kernel
  const params = liftQuotas(paramsAt(host.params, height))
  const sets = commands.flatMap(({ command }) => {
    if (command.type !== 'set') return []
    const call = { caller: command.spec.owner, height, params }
    return [{ call, args: argumentsOf(command.spec, call) }]
  })
  return { ...host, kernel: replaySets(host.kernel, sets), seq: commands.at(-1)?.seq ?? host.seq }
}

/** Applies a command of the log. If it has nothing left to act on in this branch, it does nothing. */
export function replayCommand(host: HostState, { seq, command }: LoggedCommand): HostState {
  const outcome = act(host, command, true)
  return { ...(outcome.type === 'accepted' ? outcome.host : host), seq }
}

function act(host: HostState, command: TimerCommand, isReplay: boolean): Admission {
  const height = host.kernel.height
  const today = paramsAt(host.params, height)
  const params = isReplay ? liftQuotas(today) : today
  switch (command.type) {
    case 'set':
      return set(host, command.spec, { caller: command.spec.owner, height, params })
    case 'update': {
      const { kernelId: timerId, spec } = command
      const terms = { target: spec.target, timerId, payload: spec.data, gasLimit: spec.gasLimit, bidFp: spec.bid }
      const outcome = updateTimer(host.kernel, { caller: spec.owner, height, params }, terms)
      return outcome.type === 'refused' ? outcome : accept(host, outcome.state, timerId)
    }
    case 'reschedule': {
      const { kernelId, spec, earlier = null } = command
      // It had fired when its next time was set. On another branch it may be yet to fire, and is not lost.
      const ended = findEarlier(spec) === kernelId ? [earlier] : [earlier, kernelId]
      const call = { caller: spec.owner, height, params }
      return set({ ...host, kernel: end(host.kernel, call, spec, ended) }, spec, call)
    }
    case 'cancel':
    case 'retire':
    case 'pause': {
      const { kernelId, spec, earlier = null } = command
      const call = { caller: spec.owner, height, params }
      return accept(host, end(host.kernel, call, spec, [kernelId, earlier]), kernelId)
    }
    case 'params': {
      const outcome = voteParams(host.params, height, readParamChange(command.change))
      if (outcome.type === 'refused') return outcome
      const detail = { fromHeight: Number(outcome.fromHeight), params: presentParams(outcome.params) }
      return { type: 'accepted', host: { ...host, params: outcome.schedule }, kernelId: null, detail }
    }
  }
}

/** The kernel does not know what is paused, or was spent on this branch: what was accepted stays accepted. */
function end(
  kernel: TimerState,
  call: TimerCall,
  { target }: Pick<TimerSpec, 'target'>,
  ids: readonly (KernelId | null)[],
): TimerState {
  return ids.reduce((state, timerId) => {
    const outcome = timerId === null ? null : cancelTimer(state, call, { target, timerId })
    return outcome?.type === 'done' ? outcome.state : state
  }, kernel)
}

function set(host: HostState, spec: TimerSpec, call: TimerCall): Admission {
  const outcome = setTimer(host.kernel, call, argumentsOf(spec, call))
  return outcome.type === 'refused' ? outcome : accept(host, outcome.state, outcome.timerId)
}

function argumentsOf(spec: TimerSpec, call: TimerCall): SetTimerArguments {
  const { schedule, target, data: payload, gasLimit, bid: bidFp } = spec
  const terms = { target, payload, gasLimit, bidFp }
  switch (schedule.type) {
    case 'timeout':
    case 'cron': {
      // Blocks may have come since it was converted.
      const isConverted = schedule.type === 'cron' || schedule.isCounted === true
      const dueHeight = isConverted ? Math.max(schedule.dueHeight, Number(call.height) + 1) : schedule.dueHeight
      return { ...terms, kind: 'HEIGHT', dueHeight }
    }
    case 'interval':
      return { ...terms, kind: 'INTERVAL', everyBlocks: schedule.everyBlocks }
    case 'watch':
      return { ...terms, kind: 'STATE_WATCH', watchKeys: schedule.keys }
  }
}

function accept(host: HostState, kernel: TimerState, kernelId: KernelId): Admission {
  return { type: 'accepted', host: { ...host, kernel }, kernelId }
}
