/** Who has to approve a transaction, who has, and whether that is enough. */
import type { SubjectId } from './rule-set.ts'

/** What one rule set asks for. */
export interface ApprovalNeed {
  readonly subject: SubjectId
  readonly of: number
  /** Names or ids of API keys. */
  readonly keys: readonly string[]
}

export interface ApprovalVote {
  readonly keyId: string
  readonly name: string
  readonly at: number
  readonly reason: string
}

/** Kept with the transaction for good: the record of who released it. */
export interface Approval {
  readonly needs: readonly ApprovalNeed[]
  readonly votes: readonly ApprovalVote[]
  readonly expiresAt: number
}

export interface Voter {
  readonly keyId: string | null
  readonly name: string
}

/** Two keys with one name count once: a name is a person. */
function countVotes({ keys }: ApprovalNeed, votes: readonly ApprovalVote[]): number {
  const named = votes.filter((vote) => keys.includes(vote.name) || keys.includes(vote.keyId))
  return new Set(named.map(({ name }) => name)).size
}

export function isMet(need: ApprovalNeed, votes: readonly ApprovalVote[]): boolean {
  return countVotes(need, votes) >= need.of
}

export function isApproved({ needs, votes }: Pick<Approval, 'needs' | 'votes'>): boolean {
  return needs.every((need) => isMet(need, votes))
}

/** How many more approvals it takes at least. */
export function missingVotes({ needs, votes }: Approval): number {
  return Math.max(0, ...needs.map((need) => need.of - countVotes(need, votes)))
}

/** As if these keys had not voted. */
export function withoutVotes(approval: Approval, keyIds: readonly string[]): Approval {
  return { ...approval, votes: approval.votes.filter(({ keyId }) => !keyIds.includes(keyId)) }
}

/** Why a key may not decide about this transaction; null: it may. */
export function whyNotVoter(
  { needs, votes }: Approval,
  voter: Voter,
  submitter: { readonly keyId: string | null; readonly name: string | null },
): string | null {
  const { keyId, name } = voter
  if (keyId === null) return 'An approval needs an API key with a name.'
  if (keyId === submitter.keyId || name === submitter.name) return 'The key that sent a transaction cannot approve it.'
  if (!needs.some(({ keys }) => keys.includes(name) || keys.includes(keyId)))
    return `The rules do not name ${name} among the keys that may approve it.`
  return votes.some((vote) => vote.keyId === keyId || vote.name === name) ? `${name} has already approved it.` : null
}
