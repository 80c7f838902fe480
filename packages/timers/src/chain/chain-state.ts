/** The reference chain's whole state at one height, as a value. */
import type { Hex } from '../kernel/bytes/hex.ts'
import type { MerkleTrie } from '../kernel/merkle/merkle-trie.ts'
import type { ParamSchedule } from '../kernel/params/param-schedule.ts'
import type { TimerState } from '../kernel/state/timer-state.ts'
import type { OrderedMap } from '../kernel/tree/ordered-map.ts'
import type { Prices } from './basefee.ts'

export interface Account {
  readonly balance: bigint
  readonly nonce: bigint
}

export interface Actor {
  /** The name of its code among the chain's handlers. */
  readonly handler: string
  readonly deployer: Hex
}

/** A message on its way to an actor, paid for by the actor that sent it. */
export interface Message {
  readonly from: Hex
  readonly to: Hex
  readonly payload: Hex
  readonly gasLimit: bigint
}

/** What running code can change; a failed run goes back to the value it started from. */
export interface World {
  readonly accounts: OrderedMap<Hex, Account>
  readonly actors: OrderedMap<Hex, Actor>
  /** Actor ‖ key to value. */
  readonly storage: OrderedMap<Hex, Hex>
  readonly timers: TimerState
  readonly schedule: ParamSchedule
  /** Sent and not yet delivered, by the number each was sent under. */
  readonly messages: OrderedMap<bigint, Message>
  /** Messages ever sent. */
  readonly messagesSent: bigint
}

export interface ChainState {
  readonly height: bigint
  readonly world: World
  readonly basefees: Prices
  readonly burned: bigint
  /** Keys changed by the mailbox of this height, to be seen by watches at the next. */
  readonly lateKeys: readonly Hex[]
  readonly trie: MerkleTrie
  readonly stateRoot: Hex
}

/** Puts a message at the end of the queue. */
export function sendMessage(world: World, message: Message): World {
  const { messages, messagesSent } = world
  return { ...world, messages: messages.set(messagesSent, message), messagesSent: messagesSent + 1n }
}

export function accountOf(world: World, address: Hex): Account {
  return world.accounts.get(address) ?? { balance: 0n, nonce: 0n }
}

/** Adds to or takes from a balance; taking what is not there is a broken invariant. */
export function moveBalance(world: World, address: Hex, amount: bigint): World {
  const account = accountOf(world, address)
  const balance = account.balance + amount
  if (balance < 0n) throw new RangeError(`balance of ${address} would fall below zero`)
  return amount === 0n ? world : { ...world, accounts: world.accounts.set(address, { ...account, balance }) }
}
