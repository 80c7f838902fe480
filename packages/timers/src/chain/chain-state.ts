/** The reference chain's whole state at one height, as a value. */
import { compareHex, type Hex } from '../kernel/hex.ts'
import { MerkleTrie } from '../kernel/merkle-trie.ts'
import { OrderedMap } from '../kernel/ordered-map.ts'
import { createParamSchedule, type ParamSchedule } from '../kernel/param-schedule.ts'
import { DEFAULT_PARAMS, type TimerParams } from '../kernel/timer-params.ts'
import { createTimerState, type TimerState } from '../kernel/timer-state.ts'
import type { Prices } from './basefee.ts'
import { listChainLeafChanges } from './chain-leaves.ts'

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
  /** Sent and not yet delivered, oldest first. */
  readonly messages: readonly Message[]
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

export interface Genesis {
  readonly chainId: bigint
  readonly epochLength?: bigint
  readonly params?: Partial<TimerParams>
  readonly balances?: Readonly<Record<Hex, bigint>>
  readonly actors?: Readonly<Record<Hex, string>>
  readonly basefees?: Prices
  /** Accounts that may vote parameters. */
  readonly governors?: readonly Hex[]
}

const NOBODY: Hex = `0x${'00'.repeat(20)}`

export function createChainState(genesis: Genesis): ChainState {
  const blank = createBlankState(genesis.chainId)
  let { accounts, actors, timers } = blank.world
  for (const [address, balance] of Object.entries(genesis.balances ?? {})) {
    accounts = accounts.set(address as Hex, { balance, nonce: 0n })
  }
  for (const [address, handler] of Object.entries(genesis.actors ?? {})) {
    actors = actors.set(address as Hex, { handler, deployer: NOBODY })
    timers = { ...timers, targets: timers.targets?.set(address as Hex, null) ?? null }
  }
  const schedule = createParamSchedule(genesis.epochLength ?? 100n, { ...DEFAULT_PARAMS, ...genesis.params })
  const world = { ...blank.world, accounts, actors, timers, schedule }
  return sealState(blank, { ...blank, world, basefees: genesis.basefees ?? blank.basefees })
}

/** Commits a state: its root follows from the one before and what changed since. */
export function sealState(before: ChainState, after: Omit<ChainState, 'trie' | 'stateRoot'>): ChainState {
  const trie = before.trie.apply(listChainLeafChanges(before, after))
  return { ...after, trie, stateRoot: trie.rootHash }
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

function createBlankState(chainId: bigint): ChainState {
  const trie = new MerkleTrie()
  return {
    height: 0n,
    world: {
      accounts: new OrderedMap(compareHex),
      actors: new OrderedMap(compareHex),
      storage: new OrderedMap(compareHex),
      timers: createTimerState({ chainId, targets: 'known' }),
      schedule: createParamSchedule(100n, DEFAULT_PARAMS),
      messages: [],
    },
    basefees: { cycles: 1_000n, cells: 1_000n },
    burned: 0n,
    lateKeys: [],
    trie,
    stateRoot: trie.rootHash,
  }
}
