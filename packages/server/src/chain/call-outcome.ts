/** Reads a node's error to `eth_estimateGas`: a certain failure of the call, or no answer at all. */
import type { CallOutcome } from '../ports/chain.ts'
import { listErrorTexts } from './error-texts.ts'
import { describeRevert, findRevertData } from './revert-reason.ts'
import type { RpcError } from './rpc/rpc-error.ts'
import { findSendErrorClass } from './send/classify-send-error.ts'
import type { SendErrorClass } from './send/send-error-patterns.ts'

const REVERTED = /\brevert(ed)?\b|CONTRACT_REVERT_EXECUTED/i
/** The EVM stopped the contract: as certain as a revert, but without a reason. */
const FAULTED =
  /invalid opcode|InvalidFEOpcode|OpcodeNotFound|bad instruction|bad jump|invalid ?jump|stack ?(under|over)flow|stack limit reached/i
const OUT_OF_GAS =
  /\bout ?of ?gas\b|\b(?:Memory|Precompile)OOG\b|gas required exceeds (allowance|limit)|always failing transaction/i

const CERTAINLY_INVALID: ReadonlySet<SendErrorClass> = new Set([
  'gas_limit',
  'gas_too_low',
  'oversized',
  'malformed',
  'refused',
  'unsupported_type',
  'not_permitted',
])

/**
 * Null if the error says nothing about the call: unknown state, a busy or broken node. A certain failure refuses the
 * caller's transaction, so an uncertain one must not look like it.
 */
export function classifyCallError(error: RpcError): CallOutcome | null {
  const data = findRevertData(error)
  const texts = listErrorTexts(error)
  const first = texts[0] ?? ''
  if (error.code === 3 || texts.some((text) => REVERTED.test(text)))
    return { type: 'reverted', reason: describeRevert(data, texts.find((text) => REVERTED.test(text)) ?? first), data }
  for (const text of texts) {
    const message = text.slice(0, 300)
    if (FAULTED.test(text)) return { type: 'reverted', reason: message, data: null }
    if (OUT_OF_GAS.test(text)) return { type: 'invalid', message }
    const found = findSendErrorClass(text)
    if (found === 'insufficient_funds') return { type: 'insufficient_funds', message }
    if (found !== null && CERTAINLY_INVALID.has(found)) return { type: 'invalid', message }
  }
  return null
}

/** The node may be behind, or have thrown the state away. */
const LACKS_BLOCK =
  /not (be )?found|unknown block|header|out ?of ?range|not (yet )?available|beyond|pruned|missing trie|future/i
const REFUSES_BLOCK =
  /invalid (argument|param|block|type)|unmarshal|unexpected|expected|unsupported|too many arguments/i

/** Whether a node does not understand how a block was named, as opposed to not having that block. */
export function isBlockRefused(error: RpcError): boolean {
  const texts = listErrorTexts(error)
  if (texts.some((text) => LACKS_BLOCK.test(text))) return false
  return error.code === -32602 || texts.some((text) => REFUSES_BLOCK.test(text))
}
