/** The next nonce of a managed account, with those in line before it: what the store knows, and the chain where its word counts. */
import type { Lane } from '../core/lane/lane.ts'
import { needsCounts, predictNonce } from '../engine/accept/predict-nonce.ts'
import { readCounts } from '../engine/chain-counts/read-counts.ts'
import type { Tenant } from '../engine/tenants/tenant-pool.ts'
import type { Chain } from '../ports/chain.ts'
import type { Forwarder, SharedForwarder } from './forwarder.ts'
import { RpcFailure } from './rpc-failure.ts'
import type { RpcReads } from './rpc-reads.ts'
import type { RpcServices } from './rpc-services.ts'

export interface NextNonces {
  /** Throws RpcFailure if the chain is needed and does not respond. */
  read(lane: Lane, tenant?: Tenant): Promise<number>
}

interface NextNoncePorts extends Pick<RpcServices, 'signers'> {
  readonly store: Pick<RpcReads, 'readNonceLine'>
  readonly forwarder: Pick<SharedForwarder, 'forTenant'>
}

export function createNextNonces({ store, signers, forwarder }: NextNoncePorts): NextNonces {
  return {
    read: async (lane, tenant = null) => {
      const line = await store.readNonceLine(lane, tenant)
      const externalUse = signers.peek(lane)?.policy.externalUse ?? false
      if (!needsCounts(line, externalUse)) return predictNonce(line, null, externalUse)
      const wanted = { head: null, mustHaveHead: false, latest: line.recyclable.length > 0, finalHeight: null }
      const counts = await readCounts(toCountReads(forwarder.forTenant(tenant)), lane.signer, wanted)
      // Read again: what was queued before and sent meanwhile would count twice, in the queue and on the chain.
      return predictNonce(await store.readNonceLine(lane, tenant), counts, externalUse)
    },
  }
}

function toCountReads({ forward }: Pick<Forwarder, 'forward'>): Pick<Chain, 'getTransactionCount'> {
  return {
    getTransactionCount: async (signer, at) => {
      const block = typeof at === 'number' ? `0x${at.toString(16)}` : at
      const answer = await forward({ method: 'eth_getTransactionCount', params: [signer, block] })
      if (typeof answer === 'string' && /^0x[0-9a-f]{1,13}$/i.test(answer)) return Number(answer)
      throw new RpcFailure('internal', 'the RPC node does not return a transaction count')
    },
  }
}
