/**
 * What a lane has to know of its account on the chain: how much it may still promise to spend, and whether it carries
 * delegated code, under which nodes keep a single transaction of it.
 *
 * The balance is read at most once per block, unless a reading is forced. It is told to others only as of a block that is
 * followed; where no node has that one, what a node says of its own latest block is enough to hold back with. What the lane's unmined transactions may cost at most is taken off as of
 * the moment of asking, and every promise made since; so a transaction that is mined meanwhile is counted twice for one
 * block at worst, and no wei is ever promised twice.
 */
import type { Lane } from '../../core/lane/lane.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { BalanceReader } from './balance-reader.ts'

export interface AccountWatch {
  /** What may be promised to new transactions; null where the balance is not known. */
  available(): bigint | null
  commit(wei: bigint): void
  /** Reads the balance unless that was done for this head; `reserved` is what the unmined ones may cost. Never throws. */
  readBalance(head: number | null, reserved: () => bigint, how?: ReadMode): Promise<void>
  /** The balance if it was read since this was last called, and whether it is more than before. */
  takeNews(): { readonly wei: bigint; readonly at: number; readonly isRise: boolean } | null
  /** Looks at the account's code if that is due; an answer that changes anything wakes the lane. */
  lookAtCode(): void
  /** Resolves once the code was looked at, or could not be. */
  knowCode(): Promise<void>
  /** A node keeps fewer than expected: the code may have changed. */
  suspectCode(): void
  isDelegated(): boolean
}

/** `to_show`: what is promised later is held to a reading of its own all the same. `again`: though it was read for this head. */
export type ReadMode = 'to_promise' | 'to_show' | 'again'

export interface WatchPorts {
  readonly chain: Pick<Chain, 'getBalance' | 'getCode'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly balances: BalanceReader
  readonly lane: Lane
  wake(): void
}

const CODE_INTERVAL_MS = 5 * 60_000
/** EIP-7702: the account runs the code of the address behind this. */
const DELEGATION = '0xef0100'

export function createAccountWatch(ports: WatchPorts): AccountWatch {
  const { chain, clock, telemetry, balances, lane, wake } = ports
  let balance: bigint | null = null
  let readAtHead: number | null = null
  let news: { wei: bigint; at: number; isRise: boolean } | null = null
  let available: bigint | null = null
  /** All that was ever promised, so that what was promised while a balance was being read can be told. */
  let promised = 0n
  let delegated = false
  let codeDueAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> = Promise.resolve()
  const labels = { chainId: lane.chainId, signer: lane.signer }

  async function readBalance(head: number | null, reserved: () => bigint, how: ReadMode = 'to_promise'): Promise<void> {
    if (head !== null && head === readAtHead && how !== 'again') return
    const taken = reserved()
    const promisedBefore = promised
    try {
      const atHead = head === null ? null : await balances.read(lane.signer, head)
      const seen = atHead ?? (await chain.getBalance(lane.signer))
      if (how === 'to_promise') readAtHead = head
      available = seen - taken - (promised - promisedBefore)
      if (atHead === null) return
      news = { wei: seen, at: clock.now(), isRise: (news?.isRise ?? false) || (balance !== null && seen > balance) }
      balance = seen
      telemetry.gauge('drover_signer_balance_wei', Number(seen), labels)
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      // Unknown is no reason to stop: the node itself refuses what the account cannot pay.
      available = null
    }
  }

  async function readCode(): Promise<void> {
    const was = delegated
    try {
      delegated = (await chain.getCode(lane.signer)).toLowerCase().startsWith(DELEGATION)
    } catch (error) {
      codeDueAt = Number.NEGATIVE_INFINITY
      if (!(error instanceof ChainUnavailable)) throw error
      return
    }
    if (delegated === was) return
    telemetry.log('info', 'the delegation of an account changed', { ...labels, delegated })
    wake()
  }

  return {
    available: () => available,
    commit: (wei) => {
      promised += wei
      if (available !== null) available -= wei
    },
    readBalance,
    takeNews: () => {
      const taken = news
      news = null
      return taken
    },
    lookAtCode: () => {
      if (clock.monotonic() < codeDueAt) return
      codeDueAt = clock.monotonic() + CODE_INTERVAL_MS
      looking = readCode().catch((error: unknown) => {
        telemetry.log('error', 'could not read the code of an account', { ...labels, error })
      })
    },
    knowCode: () => looking,
    suspectCode: () => {
      codeDueAt = Number.NEGATIVE_INFINITY
    },
    isDelegated: () => delegated,
  }
}
