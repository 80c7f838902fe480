/** A tiny host for tests: sets timers, runs blocks and remembers what fired. */

import type { Hex } from './bytes/hex.ts'
import { type AppliedDelivery, applyDelivery } from './deliver/apply-delivery.ts'
import { type DeliverBlock, type Delivery, deliver } from './deliver/deliver.ts'
import type { TimerErrorCode } from './params/refusal.ts'
import { DEFAULT_PARAMS, type TimerParams } from './params/timer-params.ts'
import { cancelTimer } from './set/cancel-timer.ts'
import { setTimer } from './set/set-timer.ts'
import { updateTimer } from './set/update-timer.ts'
import type { Timer } from './state/timer.ts'
import { createTimerState, type TimerState } from './state/timer-state.ts'

export const A: Hex = `0x${'aa'.repeat(20)}`
export const B: Hex = `0x${'bb'.repeat(20)}`
export const C: Hex = `0x${'cc'.repeat(20)}`
export const D: Hex = `0x${'dd'.repeat(20)}`
export const ROOT: Hex = `0x${'11'.repeat(32)}`
export const ONE = 1n << 96n

type Bag = Record<string, unknown>

export class SmallWorld {
  state: TimerState
  params: TimerParams
  height = 0n
  /** Payloads of what fired, one list per block. */
  readonly fired: Hex[][] = []

  constructor(
    params: Partial<TimerParams> = {},
    state: TimerState = createTimerState({ chainId: 1n, targets: 'any' }),
  ) {
    this.params = { ...DEFAULT_PARAMS, ...params }
    this.state = state
    this.height = state.height
  }

  /** Sets a timer from its target itself unless a caller is given; the id, or the code it was refused with. */
  set(args: Bag, caller?: Hex): Hex {
    const bag = { payload: '0x', gasLimit: 10_000, target: A, ...args }
    const kind = 'dueHeight' in bag ? 'HEIGHT' : 'everyBlocks' in bag ? 'INTERVAL' : 'STATE_WATCH'
    const outcome = this.trySet({ kind, ...bag }, caller ?? (bag.target as Hex))
    if (outcome.type === 'refused') throw new Error(`${outcome.code}: ${outcome.message}`)
    return outcome.timerId
  }

  trySet(args: Bag, caller: Hex = A) {
    const outcome = setTimer(this.state, this.callOf(caller), args as unknown as Parameters<typeof setTimer>[2])
    if (outcome.type !== 'refused') this.state = outcome.state
    return outcome
  }

  refusal(args: Bag, caller: Hex = A): TimerErrorCode | null {
    const bag = { kind: 'HEIGHT', payload: '0x', gasLimit: 10_000, target: A, ...args }
    const outcome = setTimer(this.state, this.callOf(caller), bag as unknown as Parameters<typeof setTimer>[2])
    return outcome.type === 'refused' ? outcome.code : null
  }

  update(args: Bag, caller: Hex = A) {
    const outcome = updateTimer(this.state, this.callOf(caller), args as unknown as Parameters<typeof updateTimer>[2])
    if (outcome.type !== 'refused') this.state = outcome.state
    return outcome.type === 'refused' ? outcome.code : outcome.type
  }

  cancel(timerId: Hex, caller: Hex = A, target: Hex = A) {
    const outcome = cancelTimer(this.state, this.callOf(caller), { target, timerId })
    if (outcome.type !== 'refused') this.state = outcome.state
    return outcome.type === 'refused' ? outcome.code : outcome.cancelled
  }

  timer(timerId: Hex): Timer | undefined {
    return this.state.timers.get(timerId)
  }

  /** Opens the next block: calls made before `close` are its transactions. */
  open(height: bigint = this.height + 1n): this {
    this.height = height
    return this
  }

  deliver(block: Partial<DeliverBlock> = {}): Delivery {
    const { height, params } = this
    return deliver(this.state, { height, parentStateRoot: ROOT, modifiedKeys: [], params, ...block })
  }

  /** Delivers, runs the mailbox as told, and writes back. */
  close(
    block: Partial<DeliverBlock> & { failed?: Iterable<Hex>; mailbox?: () => void } = {},
  ): Delivery & AppliedDelivery {
    const { failed, mailbox, ...rest } = block
    const delivery = this.deliver(rest)
    mailbox?.()
    const applied = applyDelivery(this.state, delivery, new Set(failed ?? []))
    this.state = applied.state
    this.fired.push(delivery.entries.map((entry) => entry.payloadSnapshot))
    return { ...delivery, ...applied }
  }

  /** Opens and closes blocks up to a height. */
  runTo(height: bigint, block: Partial<DeliverBlock> = {}): this {
    while (this.height < height) this.open().close(block)
    return this
  }

  private callOf(caller: Hex) {
    return { caller, height: this.height, params: this.params }
  }
}

/** Heights, counted from the first block played, at which a payload fired. */
export function firesOf(world: SmallWorld, payload: Hex): number[] {
  return world.fired.flatMap((block, index) => (block.includes(payload) ? [index + 1] : []))
}
