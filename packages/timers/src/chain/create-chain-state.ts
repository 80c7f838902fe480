/** The state that a reference chain starts from. */
import { compareHex, getExactHex, type Hex } from '../kernel/bytes/hex.ts'
import { MerkleTrie } from '../kernel/merkle/merkle-trie.ts'
import { createParamSchedule } from '../kernel/params/param-schedule.ts'
import { DEFAULT_PARAMS, type TimerParams } from '../kernel/params/timer-params.ts'
import { addTarget, createTimerState } from '../kernel/state/timer-state.ts'
import { OrderedMap } from '../kernel/tree/ordered-map.ts'
import type { Prices } from './basefee.ts'
import type { ChainState } from './chain-state.ts'
import { checkChainParams } from './check-chain-params.ts'
import { sealState } from './seal-state.ts'

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
  for (const [address, balance] of listAddresses(genesis.balances ?? {})) {
    accounts = accounts.set(address, { balance, nonce: 0n })
  }
  for (const [address, handler] of listAddresses(genesis.actors ?? {})) {
    actors = actors.set(address, { handler, deployer: NOBODY })
    timers = addTarget(timers, address)
  }
  const params = { ...DEFAULT_PARAMS, ...genesis.params }
  const fault = checkChainParams(params)
  if (fault !== null) throw new RangeError(fault.message)
  const schedule = createParamSchedule(genesis.epochLength ?? 100n, params)
  const world = { ...blank.world, accounts, actors, timers, schedule }
  return sealState(blank, { ...blank, world, basefees: genesis.basefees ?? blank.basefees })
}

/** Addresses in their stored spelling; two spellings of one address are a mistake. */
function listAddresses<V>(record: Readonly<Record<Hex, V>>): ReadonlyMap<Hex, V> {
  const listed = new Map<Hex, V>()
  for (const [text, value] of Object.entries(record) as [string, V][]) {
    const address = getExactHex(text, 20, 'an address of the genesis')
    if (listed.has(address)) throw new RangeError(`${address} appears twice in the genesis`)
    listed.set(address, value)
  }
  return listed
}

function compareBigints(a: bigint, b: bigint): number {
  return a < b ? -1 : a === b ? 0 : 1
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
      messages: new OrderedMap(compareBigints),
      messagesSent: 0n,
    },
    basefees: { cycles: 1_000n, cells: 1_000n },
    burned: 0n,
    lateKeys: [],
    trie,
    stateRoot: trie.rootHash,
  }
}
