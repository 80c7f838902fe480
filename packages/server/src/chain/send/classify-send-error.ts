/**
 * Reads a node's refusal of `eth_sendRawTransaction`. Texts decide, codes only where there is no text: the same code
 * means different things at different nodes. Unlisted texts are ambiguous, as is everything that does not prove what
 * happened to the bytes.
 */
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import { listErrorTexts } from '../error-texts.ts'
import { isRateLimit } from '../rpc/rate-limit.ts'
import type { RpcError } from '../rpc/rpc-error.ts'
import { SEND_ERROR_PATTERNS, type SendErrorClass } from './send-error-patterns.ts'

const MAX_MESSAGE_LENGTH = 300

/** What one node said. That it serves another chain is a fact about the node, and says nothing about the bytes. */
export type NodeAnswer = SendOutcome | { readonly type: 'wrong_chain'; readonly message: string }

export function classifySendError(error: RpcError): NodeAnswer {
  const texts = listErrorTexts(error)
  const message = (texts[0] ?? `error ${error.code}`).slice(0, MAX_MESSAGE_LENGTH)
  for (const text of texts) {
    const found = findSendErrorClass(text)
    if (found !== null) return toSendOutcome(found, text, text.slice(0, MAX_MESSAGE_LENGTH))
  }
  if (isRateLimit(error)) return { type: 'rate_limited', message }
  return { type: 'ambiguous', message }
}

export function findSendErrorClass(text: string): SendErrorClass | null {
  for (const [errorClass, pattern] of SEND_ERROR_PATTERNS) if (pattern.test(text)) return errorClass
  return null
}

/** What each class of refusal means for the bytes. Exhaustive: a new class does not compile without a decision here. */
function toSendOutcome(errorClass: SendErrorClass, text: string, message: string): NodeAnswer {
  switch (errorClass) {
    case 'already_known':
      return { type: 'already_known' }
    case 'already_mined':
    case 'nonce_too_low':
      return { type: 'nonce_too_low', message }
    case 'nonce_too_high':
      return { type: 'nonce_gap', message }
    case 'nonce_mismatch':
      return readNonceMismatch(text, message)
    case 'replacement_underpriced':
    case 'superseded':
      return { type: 'replacement_underpriced', message }
    case 'underpriced_pool_floor':
    case 'fee_below_base':
      return { type: 'underpriced', message }
    case 'insufficient_funds':
      return { type: 'insufficient_funds', message }
    // An account that is reserved for another kind of transaction comes free again, like a place in the pool.
    case 'pool_full':
    case 'account_queue_full':
    case 'account_reserved':
      return { type: 'pool_full', message }
    case 'rate_limited':
      return { type: 'rate_limited', message }
    case 'wrong_chain':
      return { type: 'wrong_chain', message }
    case 'gas_too_low':
    case 'fee_fields':
    case 'malformed':
      return { type: 'invalid', message, reason: errorClass }
    case 'gas_limit':
    case 'oversized':
    case 'unsupported_type':
    case 'not_permitted':
      return { type: 'refused', message, reason: errorClass }
    // The node's own limit on what a transaction may spend on fees.
    case 'node_fee_cap_exceeded':
      return { type: 'refused', message, reason: 'node_fee_cap' }
    case 'nonce_exhausted':
    case 'refused':
      return { type: 'refused', message, reason: 'other' }
    // Development chains that mine at once report the revert of a transaction that they did include.
    case 'revert':
    case 'revert_or_funds':
    // Not accepted now, but possibly by an earlier send of the same bytes, or by a system behind the node.
    case 'terminally_stuck':
    case 'retry_same_bytes':
    case 'node_unavailable':
    case 'timeout':
    case 'read_retry':
      return { type: 'ambiguous', message }
  }
}

/** One text for both directions: the numbers tell, where there are any. */
function readNonceMismatch(text: string, message: string): SendOutcome {
  const [, got, expected] = /got (\d{1,15}), expected (\d{1,15})/i.exec(text) ?? []
  if (got === undefined || expected === undefined || got === expected) return { type: 'ambiguous', message }
  return Number(got) < Number(expected) ? { type: 'nonce_too_low', message } : { type: 'nonce_gap', message }
}
