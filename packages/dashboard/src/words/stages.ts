/** Where a transaction is on its way: Accepted, Nonce, Sent, Mined, Final. */
import type { EventResource, TransactionResource } from '../api/api-resources.ts'
import { formatCount } from '../format/format-amount.ts'
import { hasFailed, hasReached, type StageFacts } from '../generated/stage-table.ts'
import { describeConfirmations } from './confirmations.ts'
import { describeSubState, isTerminal, STATE_NAMES } from './state-words.ts'

export type StageStatus =
  | 'done'
  /** It is being worked on now. */
  | 'current'
  | 'stuck'
  /** It came this far, and this is where it went wrong. */
  | 'failed'
  | 'ahead'
  /** It ended without. */
  | 'skipped'

export interface Stage {
  readonly name: 'Accepted' | 'Nonce' | 'Sent' | 'Mined' | 'Final'
  readonly status: StageStatus
  readonly at: string | null
  readonly note: string | null
}

/** A stage by its own facts; the state of the whole line is decided afterwards. */
interface Reached {
  readonly name: Stage['name']
  readonly isReached: boolean
  readonly at: string | null
  readonly note: string | null
}

export function deriveStages(tx: TransactionResource, history: readonly EventResource[]): readonly Stage[] {
  const stages = gatherFacts(tx, history)
  const current = stages.findIndex((stage) => !stage.isReached)
  return stages.map(({ isReached, ...stage }, index) => {
    if (isReached) return { ...stage, status: isSetback(stage.name, tx) ? 'failed' : 'done' }
    if (isTerminal(tx.state)) return { ...stage, at: null, note: null, status: 'skipped' }
    if (index !== current) return { ...stage, at: null, note: null, status: 'ahead' }
    const note = stage.note ?? describeSubState(tx.subState)
    return { ...stage, at: null, note, status: tx.state === 'STUCK' ? 'stuck' : 'current' }
  })
}

function gatherFacts(tx: TransactionResource, history: readonly EventResource[]): readonly Reached[] {
  const allocatedAt = history.findLast(({ type }) => type === 'nonce.allocated')?.at ?? null
  const { inclusion } = tx
  const facts = factsOf(tx)
  return [
    { name: 'Accepted', isReached: true, at: tx.createdAt, note: null },
    {
      name: 'Nonce',
      isReached: tx.nonce !== null,
      at: allocatedAt,
      note: tx.nonce === null ? null : `nonce ${tx.nonce}`,
    },
    {
      name: 'Sent',
      isReached: hasReached(facts, 'submitted'),
      at: tx.submittedAt,
      note: tx.submittedAt !== null && tx.attempts > 1 ? `${tx.attempts} attempts` : null,
    },
    {
      name: 'Mined',
      isReached: hasReached(facts, 'mined'),
      at: tx.minedAt,
      note:
        inclusion === null
          ? null
          : `${isReverted(tx) ? 'reverted in ' : ''}block ${formatCount(inclusion.blockNumber)}`,
    },
    {
      name: 'Final',
      isReached: hasReached(facts, 'final'),
      at: tx.finalAt,
      note: isTerminal(tx.state)
        ? STATE_NAMES[tx.state].toLowerCase()
        : inclusion && describeConfirmations(tx.confirmations),
    },
  ]
}

function factsOf({ state, attempts, submittedAt, receipt }: TransactionResource): StageFacts {
  return { state, isSigned: attempts > 0, isSubmitted: submittedAt !== null, mined: receipt?.status ?? null }
}

function isReverted(tx: TransactionResource): boolean {
  return tx.receipt?.status === 'reverted'
}

/** It came this far, but it did not succeed. */
function isSetback(name: Stage['name'], tx: TransactionResource): boolean {
  if (name === 'Mined') return isReverted(tx)
  return name === 'Final' && hasFailed(factsOf(tx), 'confirmed')
}
