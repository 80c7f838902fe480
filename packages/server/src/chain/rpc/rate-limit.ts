/** Tells a provider's "slow down" from everything else; the same codes mean other things at other nodes. */
import type { RpcError } from './rpc-error.ts'

const WORDS =
  /compute units per second|request count exceeded|request rate limited|request limit reached|rate.?limit|too many requests|requests per second|throughput limit/i

/**
 * Providers also use -32005 for a single query that asks for too much: waiting does not help, and other calls are
 * answered.
 */
const QUERY_WORDS = /more than \d+ (results|logs)|block range|query (timeout|exceeds)|response size/i

/** Besu uses -32005 for too much gas, so the code counts only if the text names no other reason. */
const GAS_WORDS = /gas|nonce|fund|price/i

export function isRateLimit(error: RpcError): boolean {
  if (error.httpStatus === 429 || error.code === 429) return true
  // A contract's revert text ("execution reverted: rate limit exceeded") is an answer.
  if (error.code === 3 || /revert/i.test(error.message)) return false
  if (WORDS.test(error.message)) return true
  return error.code === -32005 && !GAS_WORDS.test(error.message) && !QUERY_WORDS.test(error.message)
}
