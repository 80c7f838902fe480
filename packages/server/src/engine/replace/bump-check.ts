/**
 * Whether a transaction may be signed again at a higher price: the call must still succeed, and the account must be
 * able to pay. Checked once per block for all bumps, outside the cycles. A call is run only if nothing before it can
 * still change the state. If the nodes cannot run it, the caller's judgement decides, as when it was accepted.
 */
import { formatAmount } from '../../core/amount.ts'
import { maxCost, maxCostInFlight } from '../../core/fees/cost.ts'
import type { Fees } from '../../core/fees/fees.ts'
import type { Lane } from '../../core/lane/lane.ts'
import { awaitsBlock } from '../../core/transaction/lose-nonce.ts'
import { type InFlight, newestAttempt, type TxError, type TxId } from '../../core/transaction/transaction.ts'
import { type Call, type CallOutcome, type Chain, ChainUnavailable, type HeadRef } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface BumpScene {
  readonly head: HeadRef
  /** All transactions of the lane, in nonce order. */
  readonly unmined: readonly InFlight[]
  /** A lower nonce is missing or reserved. */
  isBlocked(nonce: number): boolean
}

export interface BumpCheck {
  /** False: the chain is queried first, and the lane wakes when it has answered. */
  isReady(bumps: readonly InFlight[], scene: BumpScene): boolean
  /** Null: no objection. */
  findObjection(
    tx: InFlight,
    offer: { readonly gasLimit: bigint; readonly fees: Fees },
    scene: BumpScene,
  ): TxError | null
}

interface CheckPorts {
  readonly chain: Pick<Chain, 'estimate' | 'getBalance'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly lane: Lane
  wake(): void
}

interface Findings {
  readonly head: number
  readonly balanceWei: bigint
  readonly outcomes: ReadonlyMap<TxId, CallOutcome>
  /** Transactions that were checked, whether the nodes could run them or not. */
  readonly asked: ReadonlySet<TxId>
}

const RETRY_MS = 5_000

export function createBumpCheck({ chain, clock, telemetry, lane, wake }: CheckPorts): BumpCheck {
  let found: Findings | null = null
  let isAsking = false
  let resumeAt = Number.NEGATIVE_INFINITY

  async function ask(bumps: readonly InFlight[], scene: BumpScene): Promise<void> {
    const runs = bumps.filter((tx) => tx.intent.simulate && isFirst(tx, scene))
    const [balanceWei, outcomes] = await Promise.all([
      chain.getBalance(lane.signer),
      runs.length === 0 ? [] : run(runs.map(toCall), scene.head),
    ])
    const before = found?.head === scene.head.number ? found : null
    const answered = runs.flatMap((tx, index): [TxId, CallOutcome][] => {
      const outcome = outcomes[index]
      return outcome === undefined ? [] : [[tx.id, outcome]]
    })
    found = {
      head: scene.head.number,
      balanceWei,
      outcomes: new Map([...(before?.outcomes ?? []), ...answered]),
      asked: new Set([...(before?.asked ?? []), ...bumps.map(({ id }) => id)]),
    }
  }

  async function run(calls: readonly Call[], head: HeadRef): Promise<readonly CallOutcome[]> {
    return await chain.estimate(calls, head).catch((error: unknown) => {
      if (error instanceof ChainUnavailable) return []
      throw error
    })
  }

  function start(bumps: readonly InFlight[], scene: BumpScene): void {
    if (isAsking || clock.monotonic() < resumeAt) return
    isAsking = true
    ask(bumps, scene)
      .catch((error: unknown) => {
        resumeAt = clock.monotonic() + RETRY_MS
        clock.schedule(RETRY_MS, wake)
        const level = error instanceof ChainUnavailable ? 'warn' : 'error'
        telemetry.log(level, 'a fee bump could not be checked; not signed yet', { ...lane, error })
      })
      .finally(() => {
        isAsking = false
        wake()
      })
  }

  return {
    isReady: (bumps, scene) => {
      const known = found?.head === scene.head.number ? found : null
      const open = bumps.filter(({ id }) => !known?.asked.has(id))
      if (known !== null && open.length === 0) return true
      start(open, scene)
      return false
    },
    findObjection: (tx, offer, scene) => {
      if (found === null) return null
      return objectToCall(found.outcomes.get(tx.id)) ?? objectToCost(tx, offer, found.balanceWei, scene)
    },
  }
}

/** No transaction of the lane comes before it. */
function isFirst(tx: InFlight, { unmined, isBlocked }: BumpScene): boolean {
  return unmined.find(awaitsBlock)?.id === tx.id && !isBlocked(tx.nonce)
}

function toCall(tx: InFlight): Call {
  const { lane, to, data, value, accessList } = tx.intent
  const gasLimit = newestAttempt(tx)?.gasLimit ?? null
  return { from: lane.signer, to, data, value, gasLimit, ...(accessList !== undefined && { accessList }) }
}

function objectToCall(outcome: CallOutcome | undefined): TxError | null {
  if (outcome?.type === 'reverted') {
    const message = `it would now revert: ${outcome.reason}; Drover keeps sending the same bytes`
    return { code: 'bump_would_revert', message, reason: outcome.reason }
  }
  if (outcome?.type !== 'invalid') return null
  const message = `it would now fail: ${outcome.message}; Drover keeps sending the same bytes`
  return { code: 'bump_would_revert', message, reason: outcome.message }
}

function objectToCost(
  tx: InFlight,
  { gasLimit, fees }: { readonly gasLimit: bigint; readonly fees: Fees },
  balanceWei: bigint,
  { unmined }: BumpScene,
): TxError | null {
  const before = unmined.filter((each) => each.nonce < tx.nonce && awaitsBlock(each))
  const left = before.reduce((sum, each) => sum - maxCostInFlight(each), balanceWei)
  const needed = maxCost(tx.intent.value, gasLimit, fees)
  if (needed <= left) return null
  const has = left <= 0n ? 'nothing' : `only ${formatAmount(left)}`
  const message = `at a higher price it may cost ${formatAmount(needed)}, but the account has ${has} left for it; Drover keeps sending the same bytes`
  return { code: 'bump_unaffordable', message }
}
