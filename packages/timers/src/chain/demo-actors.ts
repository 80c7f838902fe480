/** Small actors for simulations and tests: each does one thing with its context. */
import { type Hex, uintDigits } from '../kernel/bytes/hex.ts'
import type { ActorHandler, Handlers } from './actor.ts'

const COUNT_KEY: Hex = '0x00'

/** Counts how often it was woken, under key 0x00. */
const counter: ActorHandler = (context) => {
  const seen = BigInt(context.read(COUNT_KEY) ?? '0x00')
  context.write(COUNT_KEY, `0x${uintDigits(seen + 1n, 8)}`)
}

/** Writes its payload under the key 0x01, so that a new payload is a change of state. */
const recorder: ActorHandler = (context, wakeUp) => {
  const payload = wakeUp.type === 'timer' ? wakeUp.entry.payloadSnapshot : wakeUp.payload
  context.write('0x01', payload)
}

/** Fails, after writing something that must not stay. */
const failer: ActorHandler = (context) => {
  context.write('0x02', '0xff')
  throw new Error('this actor always fails')
}

/** Uses cycles until none are left. */
const burner: ActorHandler = (context) => {
  while (true) context.read(COUNT_KEY)
}

/** Sets itself a timer for the next block, each time it is woken. */
const rescheduler: ActorHandler = (context) => {
  context.setTimeout({ dueHeight: context.height + 1n, payload: '0x', gasLimit: 10_000n })
}

/** Forwards its message to the actor named by the first 20 bytes of its payload. */
const forwarder: ActorHandler = (context, wakeUp) => {
  const payload = wakeUp.type === 'timer' ? wakeUp.entry.payloadSnapshot : wakeUp.payload
  context.send(payload.slice(0, 42) as Hex, `0x${payload.slice(42)}`, 20_000n)
}

export const DEMO_HANDLERS: Handlers = { counter, recorder, failer, burner, rescheduler, forwarder }
