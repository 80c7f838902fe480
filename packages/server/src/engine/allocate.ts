/**
 * Gives nonces to prepared transactions, in order, and signs them. The lowest free nonce goes first, then the cursor.
 * A certain failure ends one transaction and the next takes its place; an uncertain one holds the line, since those
 * behind it must not overtake. A key that cannot sign stops the walk before a nonce is spent on it.
 */
import type { Lease } from '../core/lane.ts'
import type { Policy } from '../core/policy.ts'
import type { Attempt } from '../core/transaction.ts'
import type { Signer } from '../ports/signer.ts'
import type { LaneDraft, Ledger } from './lane-draft.ts'
import type { Preparation } from './prepare.ts'

export interface AllocateContext {
  readonly lease: Lease
  readonly ledger: Ledger
  /** The chain's own count for the account; null where it was not asked. */
  readonly chainCount: number | null
  readonly policy: Policy
  readonly now: number
  readonly retryMs: number
  readonly signer: Signer
}

export interface AllocateResult {
  /** No further preparation before this; null where nothing holds the line. */
  readonly holdUntil: number | null
  readonly signingError: unknown
}

export async function allocateNonces(
  draft: LaneDraft,
  preparations: readonly Preparation[],
  context: AllocateContext,
): Promise<AllocateResult> {
  const { policy, now } = context
  const free = [...context.ledger.recyclable].sort((a, b) => a - b)
  let next = firstNonce(context)
  let inFlight = draft.inFlight().length
  for (const preparation of preparations) {
    const { tx } = preparation
    if (tx.intent.validUntil !== null && tx.intent.validUntil <= now) {
      draft.apply(tx, { type: 'deadline.passed', at: now })
      continue
    }
    if (preparation.type === 'rejected') {
      draft.apply(tx, { type: 'prepare.rejected', at: now, error: preparation.error })
      continue
    }
    if (preparation.type === 'deferred') {
      const retryAt = now + backOff(tx.prepareFailures, context.retryMs)
      draft.apply(tx, {
        type: 'prepare.deferred',
        at: now,
        subState: preparation.subState,
        error: preparation.error,
        retryAt,
      })
      return { holdUntil: retryAt, signingError: null }
    }
    if (inFlight >= policy.maxInFlight) break
    const nonce = free[0] ?? next
    const signed = await sign(preparation, nonce, context)
    if (signed.type === 'failed') return { holdUntil: now + context.retryMs, signingError: signed.error }
    const { fence, nodeId } = context.lease
    const after = draft.apply(tx, { type: 'nonce.allocated', at: now, nonce, attempt: signed.attempt, fence, nodeId })
    // It may have expired or been held back since it was prepared; then nobody has the nonce, and the next takes it.
    if (after.state !== 'ALLOCATED' || after.nonce !== nonce) continue
    if (nonce === free[0]) {
      free.shift()
      draft.takeRecyclable(nonce)
    } else {
      next = nonce + 1
      draft.moveCursor(next)
    }
    inFlight++
  }
  return { holdUntil: null, signingError: null }
}

/** The cursor rules; the chain is asked where there is no cursor yet, or where somebody else may use the key too. */
function firstNonce({ ledger, chainCount, policy }: AllocateContext): number {
  if (ledger.cursor === null) return chainCount ?? 0
  return policy.externalUse && chainCount !== null ? Math.max(ledger.cursor, chainCount) : ledger.cursor
}

type Signing =
  | { readonly type: 'signed'; readonly attempt: Attempt }
  | { readonly type: 'failed'; readonly error: unknown }

async function sign(
  { tx, gasLimit, fees }: Extract<Preparation, { type: 'ready' }>,
  nonce: number,
  { lease, now, signer }: AllocateContext,
): Promise<Signing> {
  const { to, data, value } = tx.intent
  const { chainId, signer: address } = lease.lane
  try {
    const { raw, hash } = await signer.sign(address, { chainId, nonce, to, data, value, gasLimit, fees })
    return { type: 'signed', attempt: { hash, raw, kind: 'original', nonce, gasLimit, fees, createdAt: now } }
  } catch (error) {
    return { type: 'failed', error }
  }
}

function backOff(failures: number, firstMs: number): number {
  return Math.min(60_000, firstMs * 2 ** Math.min(failures, 16))
}
