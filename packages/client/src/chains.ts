/** The chains that the service follows. */
import type { BlockPage, Chain, Fees, Operations } from './generated/api-types.ts'
import type { CallOptions, Request } from './operation.ts'

export type BlockQuery = Operations['GET /v1/chains/{chainId}/blocks']['query']

export interface Chains {
  list(options?: CallOptions): Promise<readonly Chain[]>
  /** One page of confirmed blocks, lowest first; pass its `next` as `after` to go on, now or later. */
  blocks(chainId: number, query?: BlockQuery, options?: CallOptions): Promise<BlockPage>
  /** What is paid now, and what would be offered for each speed. */
  fees(chainId: number, options?: CallOptions): Promise<Fees>
}

export function createChains(request: Request): Chains {
  return {
    list: async (options) => (await request('GET /v1/chains', {}, options)).items,
    blocks: (chainId, query = {}, options) =>
      request('GET /v1/chains/{chainId}/blocks', { params: { chainId }, query }, options),
    fees: (chainId, options) => request('GET /v1/chains/{chainId}/fees', { params: { chainId } }, options),
  }
}
