/**
 * Sends signed bytes to every reachable node. One node that holds them all settles it; the others get them too, but are
 * not waited for. Nor is a rate-limited node waited for while others respond: until it responds it counts as a node
 * that may still accept them.
 */

import { isHeld, type SendOutcome } from '../../core/chain/send-outcome.ts'
import type { Hash, Hex } from '../../core/hex.ts'
import { classifySendError, type NodeAnswer } from '../send/classify-send-error.ts'
import { combineSendOutcomes } from '../send/combine-send-outcomes.ts'
import type { Endpoint } from './endpoint.ts'
import type { RpcReply } from './read-reply.ts'

export interface RawTransaction {
  readonly raw: Hex
  readonly hash: Hash
}

export async function broadcastTo(
  targets: readonly Endpoint[],
  transactions: readonly RawTransaction[],
  /** Nodes of this chain that are not asked now. */
  away: readonly Endpoint[] = [],
): Promise<readonly SendOutcome[]> {
  const requests = transactions.map(({ raw }) => ({ method: 'eth_sendRawTransaction', params: [raw] }))
  const free = targets.filter((endpoint) => !endpoint.isBusy())
  const awaited = new Set(free.length > 0 ? free : targets)
  const said = new Map<Endpoint, readonly (NodeAnswer | null)[]>()
  const combine = () =>
    transactions.map((_, index) =>
      combineSendOutcomes([...targets.map((endpoint) => outcomeOf(endpoint, index)), ...away.map(() => null)]),
    )

  function outcomeOf(endpoint: Endpoint, index: number): NodeAnswer | null {
    const outcomes = said.get(endpoint)
    if (outcomes !== undefined) return outcomes[index] ?? null
    return { type: 'ambiguous', message: `${endpoint.name} has not answered yet` }
  }

  return await new Promise((resolve, reject) => {
    for (const endpoint of targets) {
      endpoint.send(requests, 'broadcast', true).then((replies) => {
        const outcomes = transactions.map(({ hash }, index) => readSendReply(endpoint, replies[index], hash))
        said.set(endpoint, outcomes)
        awaited.delete(endpoint)
        const settled = outcomes.every((outcome) => outcome !== null && isHeld(outcome))
        if (settled || awaited.size === 0) resolve(combine())
      }, reject)
    }
  })
}

/** Null: this node was not reached, so it has no say. */
function readSendReply(endpoint: Endpoint, reply: RpcReply | undefined, hash: Hash): NodeAnswer | null {
  switch (reply?.type) {
    case 'result':
      return typeof reply.result === 'string' && reply.result.toLowerCase() === hash
        ? { type: 'accepted' }
        : { type: 'ambiguous', message: 'the RPC node did not return the hash of these bytes' }
    case 'error': {
      const answer = classifySendError(reply.error)
      // A node that says our bytes are for another chain serves another chain itself.
      if (answer.type === 'wrong_chain')
        endpoint.noteWrongChain(`it refused a transaction of this chain: ${answer.message}`)
      return answer
    }
    case 'rate_limited':
      return { type: 'rate_limited', message: reply.message }
    case 'lost':
      return { type: 'ambiguous', message: reply.message }
    default:
      return null
  }
}
