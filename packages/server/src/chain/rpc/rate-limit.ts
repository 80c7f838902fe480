/** Tells a provider's "slow down" from everything else; the same codes mean other things at other nodes. */
import type { RpcError } from './rpc-error.ts'

const WORDS =
  /compute units per second|request count exceeded|request rate limited|request limit reached|rate.?limit|too many requests|requests per second|throughput limit/i

/** Providers use -32005 also for one query that asks for too much: to wait does not help it, and others are answered. */
const QUERY_WORDS = /more than \d+ (results|logs)|block range|query (timeout|exceeds)|response size/i

/** Besu says -32005 for too much gas and means it: only where the text speaks of nothing else is the code trusted. */
const GAS_WORDS = /gas|nonce|fund|price/i

export function isRateLimit(error: RpcError): boolean {
  if (error.httpStatus === 429 || error.code === 429) return true
  // A contract's own words ("execution reverted: rate limit exceeded") are an answer.
  if (error.code === 3 || /revert/i.test(error.message)) return false
  if (WORDS.test(error.message)) return true
  return error.code === -32005 && !GAS_WORDS.test(error.message) && !QUERY_WORDS.test(error.message)
}
