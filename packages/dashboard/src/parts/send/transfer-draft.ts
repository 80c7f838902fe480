/**
 * A transaction while it is being written, and the result of sending it.
 *
 * The idempotency key belongs to what was typed: it stays until the transfer is accepted, so that pressing the button
 * again cannot send twice, and is replaced as soon as a field changes.
 */
import type { Transfer } from '../../api/api-client.ts'
import { ApiProblem, ServiceAway } from '../../api/api-failure.ts'
import type { TransactionResource } from '../../api/api-resources.ts'
import { parseEther } from '../../format/parse-ether.ts'
import { type FieldProblems, placeProblem } from '../transaction/place-problem.ts'

const FIELDS = ['from', 'to', 'value'] as const
export type FieldName = (typeof FIELDS)[number]

export type SendOutcome =
  | { readonly type: 'accepted'; readonly transaction: TransactionResource }
  | { readonly type: 'refused'; readonly fields: FieldProblems<FieldName>; readonly message: string | null }
  /** It is unknown whether it arrived. */
  | { readonly type: 'unknown'; readonly message: string }

export function formTransfer(
  chainId: number,
  typed: Readonly<Record<FieldName, string>>,
): { readonly transfer: Transfer } | { readonly fields: FieldProblems<FieldName> } {
  const value = parseEther(typed.value)
  if (value.type === 'problem') return { fields: { value: value.message } }
  return { transfer: { chainId, from: typed.from, to: typed.to.trim(), value: value.wei.toString() } }
}

/** Sends once; every way in which that can end is an outcome. */
export async function sendTransfer(send: () => Promise<TransactionResource>): Promise<SendOutcome> {
  try {
    return { type: 'accepted', transaction: await send() }
  } catch (error) {
    if (error instanceof ServiceAway || isBroken(error)) return { type: 'unknown', message: error.message }
    if (error instanceof ApiProblem) return { type: 'refused', ...placeProblem(error.problem, FIELDS) }
    throw error
  }
}

/** A service that broke while it answered may have stored the transfer before. */
function isBroken(error: unknown): error is ApiProblem {
  return error instanceof ApiProblem && error.problem.status >= 500
}
