/**
 * The problems of a lane, kept while the lane runs: found again in every cycle, stored when they change, and reported
 * once when a problem begins and once when it ends, by log, metric and event. What the last owner stored is known, so a
 * takeover reports nothing twice.
 */
import { describeLaneProblems } from '../../core/explain/describe-problem.ts'
import { laneRunbookEntry } from '../../core/explain/runbook.ts'
import type { Lane } from '../../core/lane/lane.ts'
import {
  type FoundCode,
  findLaneProblems,
  isSameProblem,
  LANE_PROBLEMS,
  type LaneProblem,
  type LaneScene,
} from '../../core/lane/lane-problem.ts'
import type { Policy } from '../../core/lane/policy.ts'
import { countRunway, isBalanceLow } from '../../core/lane/runway.ts'
import type { LaneHealth } from '../../ports/lane-write.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { LaneDraft } from '../lane/lane-draft.ts'
import type { LaneFunds } from './lane-funds.ts'

export interface LaneProblems {
  /** The lane was reloaded, with what its last owner saw. */
  recall(seen: readonly LaneProblem[]): void
  update(draft: LaneDraft, scene: ProblemScene): void
  /** This node no longer runs the lane and reports nothing about it. */
  leave(): void
}

export interface ProblemScene extends Pick<LaneScene, 'now' | 'overdueReservation' | 'usedElsewhere'> {
  /** Undefined until the queue was read. */
  readonly unsigned: LaneScene['unsigned'] | undefined
  readonly policy: Policy
  readonly funds: Pick<LaneFunds, 'known' | 'waits'>
  /** The lane has given out a nonce before. */
  readonly hasSent: boolean
}

export function createLaneProblems(ports: { readonly telemetry: Telemetry; readonly lane: Lane }): LaneProblems {
  const { telemetry, lane } = ports
  const fields = { chainId: lane.chainId, signer: lane.signer }
  let problems: readonly LaneProblem[] = []
  /** Problems whose metric is set. */
  const shown = new Set<FoundCode>()

  function update(draft: LaneDraft, given: ProblemScene): void {
    const { now, policy, funds, overdueReservation, usedElsewhere, hasSent } = given
    const { balance, txCost } = funds.known()
    const { unfunded, priced } = funds.waits() ?? recallWaits(problems)
    const unsigned = given.unsigned === undefined ? recallWaits(problems).unsigned : given.unsigned
    const wasLow = problems.some(({ code }) => code === 'balance_low')
    const isInUse = hasSent || unfunded !== null
    const isLow = balance === null ? wasLow : isBalanceLow({ balanceWei: balance.wei, txCost, isInUse }, policy, wasLow)
    const scene = {
      now,
      overdueReservation,
      usedElsewhere,
      unmined: draft.unmined(),
      unfunded,
      priced,
      unsigned,
      isBalanceLow: isLow,
    }
    const found = findLaneProblems(scene, problems)
    const isSame =
      found.length === problems.length &&
      found.every((each, index) => {
        const before = problems[index]
        return before !== undefined && isSameProblem(each, before)
      })
    if (!isSame) {
      draft.setProblems(found)
      report(draft, found, { balance, txCost }, policy)
      problems = found
    }
    show()
  }

  function report(
    draft: LaneDraft,
    found: readonly LaneProblem[],
    known: Pick<LaneHealth, 'balance' | 'txCost'>,
    { lowBalanceWei, lowRunway }: Policy,
  ): void {
    const has = (list: readonly LaneProblem[], code: string) => list.some((each) => each.code === code)
    // Also what was only suspected before: now it is certain, and something else has to be done.
    const begun = found.filter((each) => !problems.some((known) => isSameKind(each, known)))
    const words = { lane, signer: lane.signer, lowestReserved: null, lease: OURS, waiting: 0, createdAt: 0 }
    for (const { code, message, action, txId } of describeLaneProblems({ ...words, ...known, problems: begun }, [])) {
      telemetry.log('warn', `${lane.signer} on chain ${lane.chainId}: ${message}`, {
        ...fields,
        problem: code,
        next: action,
        runbook: laneRunbookEntry(code),
        ...(txId !== null && { txId }),
      })
    }
    for (const { code } of problems) {
      if (!has(found, code)) telemetry.log('info', 'a problem of a signer is solved', { ...fields, problem: code })
    }
    const [isLow, wasLow] = [has(found, 'balance_low'), has(problems, 'balance_low')]
    if (isLow === wasLow) return
    const balanceWei = known.balance?.wei ?? null
    const runway = balanceWei === null ? null : countRunway(balanceWei, known.txCost)
    const detail = { balanceWei, txCostWei: known.txCost?.wei ?? null, runway, thresholdWei: lowBalanceWei, lowRunway }
    draft.note({ type: isLow ? 'balance.low' : 'balance.restored', cause: null, detail })
  }

  function show(): void {
    for (const code of LANE_PROBLEMS) {
      const isThere = problems.some((each) => each.code === code)
      if (isThere === shown.has(code as FoundCode)) continue
      telemetry.gauge('drover_lane_problem', isThere ? 1 : 0, { ...fields, problem: code })
      if (isThere) shown.add(code as FoundCode)
      else shown.delete(code as FoundCode)
    }
  }

  return {
    recall: (seen) => {
      problems = seen
    },
    update,
    leave: () => {
      problems = []
      show()
    },
  }
}

function isSameKind(one: LaneProblem, other: LaneProblem): boolean {
  return one.code === other.code && (one.count === null) === (other.count === null)
}

/** Until the queue was read, what the last owner saw of it still holds. */
function recallWaits(problems: readonly LaneProblem[]): Pick<LaneScene, 'unfunded' | 'priced' | 'unsigned'> {
  const find = (code: FoundCode) => {
    const { txId = null, nonce = null, detail = null, limit } = problems.find((each) => each.code === code) ?? {}
    return txId === null || nonce !== null ? null : { txId, message: detail ?? '', ...(limit && { limit }) }
  }
  return { unfunded: find('out_of_funds'), priced: find('fee_above_cap'), unsigned: find('key_unavailable') }
}

const OURS = { nodeId: '', expiresAt: 0, live: true }
