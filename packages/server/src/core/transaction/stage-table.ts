/**
 * The stages of a transaction, and when it has reached each: the one table behind `?wait=`, the client, the command line
 * and the page. `npm run generate` copies it to the packages that cannot import the server.
 *
 * A reverted transaction has reached `mined` and `final`, but it did not succeed. Only a success is `confirmed`.
 */

export type StageState =
  | 'QUEUED'
  | 'ALLOCATED'
  | 'TRACKING'
  | 'STUCK'
  | 'CONFIRMED'
  | 'FAILED_FINAL'
  | 'CANCELLED'
  | 'EXPIRED'

/** What the stages depend on. */
export interface StageFacts {
  readonly state: StageState
  readonly isSigned: boolean
  /** An RPC node has accepted it. */
  readonly isSubmitted: boolean
  /** What the block that contains it says; null while no block does. */
  readonly mined: 'success' | 'reverted' | null
}

/** `signed`: its hash is known and stored, before anything is sent. `final`: nothing about it changes any more. */
export type Stage = 'signed' | 'submitted' | 'mined' | 'final' | 'confirmed'

/** The stages that a caller can wait for. */
export const WAIT_STAGES = ['submitted', 'mined', 'confirmed'] as const

const REACHED: Readonly<Record<Stage, (facts: StageFacts) => boolean>> = {
  signed: ({ isSigned }) => isSigned,
  submitted: ({ state, isSubmitted, mined }) => state !== 'QUEUED' && (isSubmitted || mined !== null),
  mined: ({ mined }) => mined !== null,
  final: ({ state }) => isFinal(state),
  confirmed: ({ state }) => state === 'CONFIRMED',
}

/** @public The page and the client use it. */
export function hasReached(facts: StageFacts, stage: Stage): boolean {
  return REACHED[stage](facts)
}

/**
 * What a wait for a stage comes to. `ended`: it will not be reached, or not without an operator. A cancelled or expired
 * transaction reaches nothing, even if an empty transaction was mined in its place.
 */
export function assessStage(facts: StageFacts, stage: Stage): 'reached' | 'ended' | 'waiting' {
  const isDropped = facts.state === 'CANCELLED' || facts.state === 'EXPIRED'
  if (!isDropped && hasReached(facts, stage)) return 'reached'
  return isFinal(facts.state) || facts.state === 'STUCK' ? 'ended' : 'waiting'
}

/** It cannot succeed any more, or did not, as far as this stage can tell: a reorg may still undo a revert. */
export function hasFailed(facts: StageFacts, stage: Stage): boolean {
  return assessStage(facts, stage) === 'ended' || (stage === 'mined' && facts.mined === 'reverted')
}

function isFinal(state: StageState): boolean {
  return state === 'CONFIRMED' || state === 'FAILED_FINAL' || state === 'CANCELLED' || state === 'EXPIRED'
}
