/** The next nonce of a managed account, with those in line before it: what the store knows, and the chain where its word counts. */
import type { Lane } from '../core/lane/lane.ts'
import { needsCounts, predictNonce } from '../engine/accept/predict-nonce.ts'
import type { ChainCounts } from '../engine/gaps/free-nonces.ts'
import type { Tenant } from '../engine/tenants/tenant-pool.ts'
import type { Forwarder, SharedForwarder } from './forwarder.ts'
import { RpcFailure } from './rpc-failure.ts'
import type { RpcReads } from './rpc-reads.ts'
import type { RpcServices } from './rpc-services.ts'

export interface NextNonces {
  /** Throws RpcFailure where the chain has to be asked and does not answer. */
  read(lane: Lane, tenant?: Tenant): Promise<number>
}

interface NextNoncePorts extends Pick<RpcServices, 'signers'> {
  readonly store: Pick<RpcReads, 'readNonceLine'>
  readonly forwarder: Pick<SharedForwarder, 'forTenant'>
}

export function createNextNonces({ store, signers, forwarder }: NextNoncePorts): NextNonces {
  async function count(asked: Forwarder, lane: Lane, tag: 'latest' | 'pending'): Promise<number> {
    const answer = await asked.forward({ method: 'eth_getTransactionCount', params: [lane.signer, tag] })
    const counted = typeof answer === 'string' && /^0x[0-9a-f]{1,13}$/i.test(answer) ? Number(answer) : null
    if (counted === null) throw new RpcFailure('internal', 'the RPC node does not return a transaction count')
    return counted
  }

  async function readCounts(asked: Forwarder, lane: Lane, hasFree: boolean): Promise<ChainCounts> {
    const [pending, latest] = await Promise.all([
      count(asked, lane, 'pending'),
      hasFree ? count(asked, lane, 'latest') : 0,
    ])
    return { pending, latest }
  }

  return {
    read: async (lane, tenant = null) => {
      const line = await store.readNonceLine(lane, tenant)
      const externalUse = signers.peek(lane)?.policy.externalUse ?? false
      const asked = forwarder.forTenant(tenant)
      const counts = needsCounts(line, externalUse) ? await readCounts(asked, lane, line.recyclable.length > 0) : null
      return predictNonce(line, counts, externalUse)
    },
  }
}
