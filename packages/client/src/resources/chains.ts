/** The chains that the service follows. */
import type { Block, BlockPage, Chain, Fees, Operations } from '../generated/api-types.ts'
import { type BlockStreamOptions, followBlocks, type LivePorts } from '../stream/live-streams.ts'
import type { CallOptions, Request } from '../transport/operation.ts'

export type BlockQuery = Operations['GET /v1/chains/{chainId}/blocks']['query']

export interface Chains {
  list(options?: CallOptions): Promise<readonly Chain[]>
  /** One page of confirmed blocks, lowest first; pass its `next` as `after` to continue, now or later. */
  blocks(chainId: number, query?: BlockQuery, options?: CallOptions): Promise<BlockPage>
  /** Confirmed blocks as they are confirmed, lowest first, each once and through outages. */
  followBlocks(chainId: number, options?: BlockStreamOptions): AsyncIterableIterator<Block>
  /** The current gas prices, and what Drover would offer for each speed. */
  fees(chainId: number, options?: CallOptions): Promise<Fees>
}

export function createChains(request: Request, live: LivePorts): Chains {
  return {
    list: async (options) => (await request('GET /v1/chains', {}, options)).items,
    blocks: (chainId, query = {}, options) =>
      request('GET /v1/chains/{chainId}/blocks', { params: { chainId }, query }, options),
    followBlocks: (chainId, options = {}) => followBlocks(live, chainId, options),
    fees: (chainId, options) => request('GET /v1/chains/{chainId}/fees', { params: { chainId } }, options),
  }
}
