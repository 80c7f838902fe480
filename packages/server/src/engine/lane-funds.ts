/**
 * The money of a lane: what the account may still promise, what waits because it cannot be paid for, and when that may be
 * tried again. Out of funds the lane rests, but with each block it looks whether somebody has paid in.
 */
import { maxCostInFlight } from '../core/cost.ts'
import type { Policy } from '../core/policy.ts'
import { type InFlight, inclusionOf } from '../core/transaction.ts'
import { type AccountWatch, createAccountWatch, type WatchPorts } from './account-watch.ts'
import type { AllocateResult } from './allocate.ts'
import { judgeBalance } from './balance-alert.ts'
import type { LaneDraft } from './lane-draft.ts'

export interface LaneFunds {
  readonly account: AccountWatch
  /** Those that wait for money are to be tried before their time. */
  mayRetryUnfunded(): boolean
  /** The lane was loaded anew: nobody knows any more what waits for money; what was told of the balance went with it. */
  recall(balanceWei: bigint | null, policy: Policy): void
  /** Reads the balance, unless that was done for this head. */
  read(head: number | null, inFlight: Iterable<InFlight>): Promise<void>
  /** With a new block: looks at the balance beside the cycles if anything waits for money. */
  watch(draft: LaneDraft, head: number | null): void
  /** Takes what was found out since the last cycle. True: what waited for money may be tried now. */
  mind(draft: LaneDraft, policy: Policy): boolean
  /** A pass over the queue is over. */
  settle(pass: Pass, result: Pick<AllocateResult, 'allocated' | 'leastUnfunded'>): void
}

export interface Pass {
  /** As many were read from the queue as were asked for: there may be more. */
  readonly isFull: boolean
  /** Those that wait for funds were read as well. */
  readonly hasUnfunded: boolean
  readonly heldUntil: number | null
}

export function createLaneFunds(ports: WatchPorts): LaneFunds {
  const { telemetry, lane } = ports
  const account = createAccountWatch(ports)
  /** What the cheapest needs that the balance did not cover. */
  let leastUnfunded: bigint | null = null
  let retryUnfunded = true
  let reading = false
  let isLow: boolean | null = null

  async function read(head: number | null, inFlight: Iterable<InFlight>): Promise<void> {
    await account.readBalance(head, () => sumReserved(inFlight))
  }

  return {
    account,
    mayRetryUnfunded: () => retryUnfunded,
    recall: (balanceWei, { lowBalanceWei }) => {
      retryUnfunded = true
      isLow = balanceWei === null || lowBalanceWei === null ? null : balanceWei < lowBalanceWei
    },
    read,
    watch: (draft, head) => {
      const isShort = leastUnfunded !== null || draft.inFlight().some((tx) => tx.subState === 'waiting_for_funds')
      if (!isShort || reading) return
      reading = true
      read(head, draft.inFlight())
        .catch((error: unknown) => telemetry.log('error', 'reading a balance broke', { ...lane, error }))
        .finally(() => {
          reading = false
          ports.wake()
        })
    },
    mind: (draft, policy) => {
      account.lookAtCode()
      const news = account.takeNews()
      if (news === null) return false
      draft.setBalance({ wei: news.wei, at: news.at })
      isLow = judgeBalance(draft, { balanceWei: news.wei, wasLow: isLow, policy, telemetry, fields: { ...lane } })
      if (news.isRise) {
        for (const tx of draft.inFlight()) {
          if (tx.subState === 'waiting_for_funds') draft.apply(tx, { type: 'resubmit.claimed', at: news.at })
        }
      }
      const available = account.available()
      if (leastUnfunded === null || available === null || available < leastUnfunded) return false
      retryUnfunded = true
      return true
    },
    settle: ({ isFull, hasUnfunded, heldUntil }, { allocated, leastUnfunded: least }) => {
      // What was not read in this pass is as unfunded as it was; but a pass that got somewhere may find more to do.
      if (hasUnfunded) retryUnfunded = isFull && allocated > 0
      if (hasUnfunded && !isFull && heldUntil === null) leastUnfunded = null
      if (least !== null && (leastUnfunded === null || least < leastUnfunded)) leastUnfunded = least
    },
  }
}

/** What the unmined ones may cost at most. */
function sumReserved(inFlight: Iterable<InFlight>): bigint {
  let sum = 0n
  for (const tx of inFlight) if (inclusionOf(tx) === null) sum += maxCostInFlight(tx)
  return sum
}
