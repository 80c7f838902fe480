/** What is wrong with a lane, and what to do, in words. */
import { formatAmount } from '../amount.ts'
import type { FeeLimit } from '../fees/fee-limit.ts'
import type { Lane } from '../lane/lane.ts'
import { LANE_PROBLEMS, type LaneProblem, type LaneProblemCode } from '../lane/lane-problem.ts'
import type { ReservationId } from '../lane/reservation.ts'
import { countRunway, type TxCost } from '../lane/runway.ts'
import type { TxId } from '../transaction/transaction.ts'
import { spellPrivateSends } from './explain-private-sends.ts'
import { FOREIGN_NOT_FINAL_STEP, laneStep, SILENT_NODE_STEP, sendsPrivatelyStep } from './next-steps.ts'
import { type NodeName, spellMissingOwner } from './spell-owner.ts'
import { spellCount, spellTime } from './spell-time.ts'

export interface ShownProblem {
  readonly code: LaneProblemCode
  /** `bad`: something waits and does not continue by itself. */
  readonly level: 'bad' | 'warn'
  readonly message: string
  readonly action: string
  readonly since: number
  readonly txId: TxId | null
  readonly reservationId: ReservationId | null
}

/** A node whose report is overdue. */
export interface SilentNode extends NodeName {
  readonly heartbeatAt: number
}

export interface TroubledLane {
  readonly lane: Lane
  /** The signer as people know it: checksummed. */
  readonly signer: string
  readonly problems: readonly LaneProblem[]
  readonly balance: { readonly wei: bigint } | null
  readonly txCost: TxCost | null
  readonly lowestReserved: {
    /** Null: it belongs to another tenant. */
    readonly reservationId: ReservationId | null
    readonly nonce: number
    readonly lockedUntil: number
    /** The holder reported a transaction: the lock no longer counts. */
    readonly isUsed: boolean
  } | null
  readonly lease: { readonly nodeId: string; readonly expiresAt: number; readonly live: boolean } | null
  /** The node that answers has the key; omitted if that is not known. */
  readonly isKeyHere?: boolean
  /** Transactions that wait for a nonce or for a block. */
  readonly waiting: number
  readonly createdAt: number
  /** Its bytes go only to its own send endpoints; `nodeWithout`: the node that answers, if it has none. Omitted: to any. */
  readonly sendsPrivately?: { readonly nodeWithout: string | null }
}

export function describeLaneProblems(lane: TroubledLane, silent: readonly SilentNode[]): readonly ShownProblem[] {
  const isDrained = lane.problems.some(({ code }) => code === 'out_of_funds')
  // Out of funds says it all: a low balance as well would be a second line for one cause.
  const own = lane.problems.filter(({ code }) => !(isDrained && code === 'balance_low'))
  const shown = [...findOwnerProblem(lane, silent), ...own.map((problem) => describe(problem, lane))]
  return shown.sort((a, b) => LANE_PROBLEMS.indexOf(a.code) - LANE_PROBLEMS.indexOf(b.code))
}

function findOwnerProblem(lane: TroubledLane, silent: readonly SilentNode[]): readonly ShownProblem[] {
  const { lease, waiting, isKeyHere } = lane
  const node = silent.find(({ nodeId }) => nodeId === lease?.nodeId)
  const silentSince = node?.heartbeatAt ?? null
  const missing = spellMissingOwner(lease && { ...lease, address: node?.address ?? null, silentSince }, isKeyHere)
  if (missing === null) return []
  if (lease?.live) {
    const since = silentSince ?? lease.expiresAt
    return [show(lane, 'owner_silent', { message: missing, since, level: waiting > 0 ? 'bad' : 'warn' })]
  }
  if (waiting === 0) return []
  const hidden = lane.sendsPrivately === undefined ? '' : ` ${spellPrivateSends(lane.sendsPrivately.nodeWithout)}`
  const message = `${missing} ${spellCount(waiting, 'transaction')} ${waiting === 1 ? 'is' : 'are'} waiting.${hidden}`
  const shown = show(lane, 'no_owner', { message, since: lease?.expiresAt ?? lane.createdAt, level: 'bad' })
  if (hidden !== '') return [{ ...shown, action: sendsPrivatelyStep(lane.signer) }]
  return [silentSince === null ? shown : { ...shown, action: SILENT_NODE_STEP }]
}

function describe(problem: LaneProblem, lane: TroubledLane): ShownProblem {
  const { code, since, txId, limit } = problem
  const message = spell(problem, lane)
  const level = code === 'balance_low' ? 'warn' : 'bad'
  const reserved = code === 'blocked_by_reservation' ? lane.lowestReserved : null
  const shown = show(lane, code, { message, since, level }, limit)
  const step = isNotFinal(problem) ? FOREIGN_NOT_FINAL_STEP : shown.action
  const action = txId === null ? step : step.replaceAll('<id>', txId)
  return { ...shown, action, txId, reservationId: reserved?.reservationId ?? null }
}

function show(
  { signer, lane }: TroubledLane,
  code: LaneProblemCode,
  said: Pick<ShownProblem, 'message' | 'since' | 'level'>,
  limit?: FeeLimit,
): ShownProblem {
  const step = laneStep(code, { signer, chainId: lane.chainId }, limit)
  // A shortened address is of no use in a command.
  const action = signer.includes('…') ? step : step.replaceAll('<address>', signer)
  return { code, ...said, action, txId: null, reservationId: null }
}

function spell(problem: LaneProblem, lane: TroubledLane): string {
  const { code, nonce, count, detail } = problem
  const why = detail === null ? '' : `: ${detail}`
  const more =
    (count ?? 1) > 1
      ? ` ${spellCount((count ?? 1) - 1, 'more transaction')} of this signer ${count === 2 ? 'is' : 'are'} also stuck.`
      : ''
  switch (code) {
    case 'out_of_funds':
      return `Out of funds: ${detail ?? 'the account cannot pay for the next transaction'}.${spellBalance(lane)}`
    case 'balance_low':
      return `The balance is low.${spellBalance(lane)}`
    case 'key_unavailable':
      return `The key cannot sign${why}.`
    case 'fee_above_cap':
      return `The gas price is above the limit${why}.`
    case 'foreign_nonce':
      if (isNotFinal(problem)) return spellUsedElsewhere(nonce ?? 0)
      return `Nonce ${nonce} was used by a transaction that Drover did not sign.${more}`
    case 'stuck':
      return `Nonce ${nonce} is stuck${why}.${more}`
    case 'blocked_by_reservation':
      return spellReservation(problem, lane)
  }
}

/** Another transaction used the nonce, in a block that is not final. */
function isNotFinal({ code, count }: LaneProblem): boolean {
  return code === 'foreign_nonce' && count === null
}

export function spellUsedElsewhere(nonce: number): string {
  return `The chain counts nonce ${nonce} as used, but no transaction that Drover signed used it. Something else seems to use this key.`
}

function spellBalance({ balance, txCost }: TroubledLane): string {
  if (balance === null) return ''
  const runway = countRunway(balance.wei, txCost)
  const pays = runway === null ? '' : `, enough for ${spellCount(runway, 'transaction')}`
  return ` Balance: ${balance.wei === 0n ? '0 ETH' : formatAmount(balance.wei)}${pays}.`
}

function spellReservation({ nonce, since }: LaneProblem, { lowestReserved }: TroubledLane): string {
  const isListed = lowestReserved?.nonce === nonce && lowestReserved.reservationId !== null
  const id = isListed ? ` (reservation ${lowestReserved.reservationId})` : ''
  const lowest = lowestReserved?.nonce === nonce ? lowestReserved : null
  const until = lowest === null || lowest.isUsed ? '' : `, locked until ${spellTime(lowest.lockedUntil)}`
  const used = lowest?.isUsed ? ' Its holder reports that a transaction was sent with it.' : ''
  return `Transactions have waited for reserved nonces since ${spellTime(since)}. Now nonce ${nonce} is reserved${id} and not mined yet${until}.${used}`
}
