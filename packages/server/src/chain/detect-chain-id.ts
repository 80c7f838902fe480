/** Asks the nodes which chain they are on, for a configuration that does not say. */
import { ChainUnavailable } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import { createJsonRpcClient } from './rpc/json-rpc.ts'
import type { RpcReply } from './rpc/read-reply.ts'
import { parseRpcUrls } from './rpc/rpc-url.ts'
import { parseCount } from './rpc-values.ts'

/** The first node that names a chain decides; the others are checked against it when they are first used. */
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
      const [reply] = await client.send([{ method: 'eth_chainId', params: [] }], false, { patient: true })
      const chainId = reply?.type === 'result' ? parseCount(reply.result) : null
      if (chainId !== null && chainId > 0) return chainId
      failures.push(`${target.host}: ${describeFailure(reply)}`)
    } finally {
      client.close()
    }
  }
  throw new ChainUnavailable(`no RPC node responds (${failures.join('; ')})`)
}

function describeFailure(reply: RpcReply | undefined): string {
  if (reply?.type === 'result') return 'its response is not a chain id'
  if (reply?.type === 'error') return reply.error.message.slice(0, 300)
  return reply?.message ?? 'no answer'
}
