/** Asks the nodes which chain they are on, for a configuration that does not say. */

import { ChainUnavailable } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import { createJsonRpcClient } from './json-rpc.ts'
import { parseRpcUrls } from './rpc-url.ts'
import { parseQuantity } from './rpc-values.ts'

/** The first node that answers decides; the others are checked against it when they are first used. */
export async function detectChainId(urls: readonly string[], clock: Clock): Promise<number> {
  const targets = parseRpcUrls(urls).filter(({ url }) => !url.protocol.startsWith('ws'))
  const failures: string[] = []
  for (const target of targets) {
    const client = createJsonRpcClient(target, {
      clock,
      timeoutMs: 10_000,
      maxConcurrent: 1,
      maxBatch: 1,
      maxResponseBytes: 65_536,
    })
    try {
      const [reply] = await client.send([{ method: 'eth_chainId', params: [] }], false)
      if (reply?.type === 'result') return Number(parseQuantity(reply.result, 'chain id'))
      failures.push(`${target.host}: ${reply !== undefined && 'message' in reply ? reply.message : 'no answer'}`)
    } finally {
      client.close()
    }
  }
  throw new ChainUnavailable(`no node told its chain id (${failures.join('; ')})`)
}
