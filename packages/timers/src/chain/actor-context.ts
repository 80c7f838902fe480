/** Builds the metered context that an actor's code runs in. */

import { findHex, type Hex } from '../kernel/bytes/hex.ts'
import type { TimerParams } from '../kernel/params/timer-params.ts'
import { cancelTimer } from '../kernel/set/cancel-timer.ts'
import { findAddress } from '../kernel/set/read-arguments.ts'
import { setTimer } from '../kernel/set/set-timer.ts'
import { updateTimer } from '../kernel/set/update-timer.ts'
import type { ActorContext, ActorSetOutcome, Handlers, WakeUp } from './actor.ts'
import { type Message, sendMessage } from './chain-state.ts'
import { CYCLE_COSTS, cellsOfBytes, cellsOfTimer, cellsOfUpdate } from './resource-costs.ts'
import { type Frame, Reverted } from './world-frame.ts'

export interface BlockTerms {
  readonly height: bigint
  readonly params: TimerParams
  readonly handlers: Handlers
}

/** Runs an actor's code inside a frame; the context is dead once it returns. */
export function wakeActor(frame: Frame, self: Hex, wakeUp: WakeUp, terms: BlockTerms): void {
  frame.meter.chargeCycles(CYCLE_COSTS.dispatch)
  const actor = frame.world.actors.get(self)
  if (actor === undefined) throw new Reverted(`no actor at ${self}`)
  const handler = terms.handlers[actor.handler]
  if (handler === undefined) throw new Reverted(`no handler named ${actor.handler}`)
  let live = true
  const context = createActorContext(frame, self, terms, () => {
    if (!live) throw new Reverted('the run of this context is over')
  })
  try {
    handler(context, wakeUp)
  } finally {
    live = false
  }
}

function createActorContext(frame: Frame, self: Hex, terms: BlockTerms, check: () => void): ActorContext {
  const calls = createTimerCalls(frame, self, terms)
  return {
    self,
    height: terms.height,
    read(key) {
      check()
      frame.meter.chargeCycles(CYCLE_COSTS.read)
      return frame.world.storage.get(storageKey(self, key)) ?? null
    },
    write(key, value) {
      check()
      frame.meter.chargeCycles(CYCLE_COSTS.write)
      const name = storageKey(self, key)
      const content = value === null ? null : bytesOf(value)
      if (content !== null) frame.meter.chargeCells(cellsOfBytes(bytesOf(key), content))
      const { storage } = frame.world
      frame.world = { ...frame.world, storage: content === null ? storage.delete(name) : storage.set(name, content) }
    },
    send(to, payload, gasLimit) {
      check()
      frame.meter.chargeCycles(CYCLE_COSTS.send)
      const message = readMessage(self, to, payload, gasLimit, terms.params)
      frame.meter.chargeCells(cellsOfBytes(message.payload))
      frame.world = sendMessage(frame.world, message)
    },
    setTimeout: (args) => {
      check()
      return calls.set({ ...args, kind: 'HEIGHT' })
    },
    setInterval: (args) => {
      check()
      return calls.set({ ...args, kind: 'INTERVAL' })
    },
    setStateWatch: (args) => {
      check()
      return calls.set({ ...args, kind: 'STATE_WATCH' })
    },
    updateTimer: (args) => {
      check()
      return calls.update({ target: self, ...args })
    },
    cancelTimer: (args) => {
      check()
      return calls.cancel({ target: self, ...args })
    },
  }
}

/** Timer calls with their price (R29): 200 Cycles whatever the result, Cells for what they store. */
export function createTimerCalls(frame: Frame, caller: Hex, { height, params }: BlockTerms) {
  const call = { caller, height, params }
  return {
    set(args: object): ActorSetOutcome {
      frame.meter.chargeCycles(CYCLE_COSTS.timerCall)
      const before = frame.world.timers
      const outcome = setTimer(before, call, { target: caller, ...args } as Parameters<typeof setTimer>[2])
      if (outcome.type === 'refused') return outcome
      chargeStored(frame, before.timers.get(outcome.timerId), outcome.state.timers.get(outcome.timerId))
      frame.world = { ...frame.world, timers: outcome.state }
      return { type: outcome.type, timerId: outcome.timerId }
    },
    update(args: Parameters<typeof updateTimer>[2]) {
      frame.meter.chargeCycles(CYCLE_COSTS.timerCall)
      const before = frame.world.timers
      const outcome = updateTimer(before, call, args)
      if (outcome.type === 'refused') return outcome
      const timerId = findHex(args.timerId) ?? '0x'
      chargeStored(frame, before.timers.get(timerId), outcome.state.timers.get(timerId))
      frame.world = { ...frame.world, timers: outcome.state }
      return { type: outcome.type }
    },
    cancel(args: Parameters<typeof cancelTimer>[2]) {
      frame.meter.chargeCycles(CYCLE_COSTS.timerCall)
      const outcome = cancelTimer(frame.world.timers, call, args)
      if (outcome.type === 'refused') return outcome
      frame.world = { ...frame.world, timers: outcome.state }
      return { type: outcome.type, cancelled: outcome.cancelled }
    },
  }
}

type StoredTimer = ReturnType<Frame['world']['timers']['timers']['get']>

function chargeStored(frame: Frame, before: StoredTimer, after: StoredTimer): void {
  if (after === undefined || after === before) return
  frame.meter.chargeCells(before === undefined ? cellsOfTimer(after) : cellsOfUpdate(before, after))
}

/**
 * At least enough to wake its actor, and never more than a lane holds: otherwise it and all behind it would wait
 * forever.
 */
function readMessage(from: Hex, to: Hex, payload: Hex, gasLimit: bigint, { timerLaneCycles }: TimerParams): Message {
  const target = findAddress(to)
  if (target === null) throw new Reverted('a message needs the address of an actor')
  if (typeof gasLimit !== 'bigint' || gasLimit < CYCLE_COSTS.dispatch || gasLimit > timerLaneCycles)
    throw new Reverted(`a message needs a gas limit of ${CYCLE_COSTS.dispatch} to ${timerLaneCycles}`)
  return { from, to: target, payload: bytesOf(payload), gasLimit }
}

function storageKey(self: Hex, key: Hex): Hex {
  return `${self}${bytesOf(key).slice(2)}`
}

function bytesOf(value: unknown): Hex {
  const hex = findHex(value)
  if (hex === null) throw new Reverted('expected bytes')
  return hex
}
