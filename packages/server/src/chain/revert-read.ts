/** Runs a reverted call again on the state before its block, and reads why it reverted. */
import type { Call } from '../ports/chain.ts'
import { isStateGone } from './agreed-reads.ts'
import { classifyCallError } from './call-outcome.ts'
import { toRpcCall } from './estimates.ts'
import type { Read } from './rpc/pool-read.ts'
import { toQuantity } from './rpc-values.ts'

/** Null: it does not revert there, because others in its block went before it, or the nodes do not have that state any more. */
export function revertRead(call: Call, height: number): Read<string | null> {
  return {
    method: 'eth_call',
    params: [toRpcCall(call), toQuantity(height)],
    decode: () => null,
    decodeError(error) {
      const outcome = classifyCallError(error)
      if (outcome?.type === 'reverted') return { value: outcome.reason }
      if (outcome !== null && 'message' in outcome) return { value: outcome.message }
      return isStateGone(error) ? { value: null } : null
    },
  }
}
