/**
 * What a lane needs to know about its account on the chain: how much it can still commit to spend, and whether it has
 * delegated code. With delegated code, nodes keep only one transaction of the account.
 *
 * The balance is read at most once per block, unless a reading is forced. It is reported only as of a followed block.
 * If no node has that block, a node's own latest block is good enough to hold back on. The maximum cost of the lane's
 * unmined transactions, as of the time of asking, and every commitment made since are subtracted. So a transaction that
 * is mined meanwhile is counted twice for one block at worst, and no wei is ever committed twice.
 */
import type { Lane } from '../../core/lane/lane.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { BalanceReader } from './balance-reader.ts'

export interface AccountWatch {
  /** What can be committed to new transactions; null if the balance is unknown. */
  available(): bigint | null
  commit(wei: bigint): void
  /** Reads the balance unless read for this head; `reserved` is the maximum cost of unmined ones. Never throws. */
  readBalance(head: number | null, reserved: () => bigint, how?: ReadMode): Promise<void>
  /** The balance if it was read since the last call, and whether it has risen. */
  takeNews(): { readonly wei: bigint; readonly at: number; readonly isRise: boolean } | null
  /** Checks the account's code if that is due; an answer that changes anything wakes the lane. */
  lookAtCode(): void
  /** Resolves once the code was checked, or could not be. */
  knowCode(): Promise<void>
  /** A node keeps fewer transactions than expected: the code may have changed. */
  suspectCode(): void
  isDelegated(): boolean
}

/** `to_show`: later commitments still need a reading of their own. `again`: read even if it was read for this head. */
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
/** EIP-7702: the account runs the code of the address that follows this prefix. */
const DELEGATION = '0xef0100'

export function createAccountWatch(ports: WatchPorts): AccountWatch {
  const { chain, clock, telemetry, balances, lane, wake } = ports
  let balance: bigint | null = null
  let readAtHead: number | null = null
  let news: { wei: bigint; at: number; isRise: boolean } | null = null
  let available: bigint | null = null
  /** Everything ever committed, to find out what was committed while a balance was being read. */
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
      // An unknown balance is no reason to stop: the node itself refuses what the account cannot pay.
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
