/** `GET /v1/chains/{chainId}/blocks`: the confirmed blocks of a chain, in order, page by page. */
import { z } from 'zod'
import { AppError } from '../../../core/app-error.ts'
import { type BlockPage, blockPage } from '../../contract/resources/block-resource.ts'
import { integerParam, pageLimitParam } from '../../contract/values/query.ts'
import { presentBlock } from '../../present/present-block.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'
import { readConfirmedBlocks } from '../../stream/confirmed-blocks.ts'

export const listBlocks = defineRoute(
  {
    ...NO_INPUT,
    params: z.strictObject({ chainId: integerParam(1, Number.MAX_SAFE_INTEGER) }),
    query: z.strictObject({
      after: integerParam(0, Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ description: '`next` from the previous page. Default: start at the lowest available block.' }),
      limit: pageLimitParam,
    }),
  },
  {
    operationId: 'listBlocks',
    method: 'GET',
    path: '/v1/chains/{chainId}/blocks',
    summary: 'Read confirmed blocks in order, starting at a cursor',
    scope: 'read',
    answers: [{ status: 200, description: 'One page. Empty if no more blocks are confirmed yet.', schema: blockPage }],
    errors: ['not_found', 'chain_unavailable'],
  },
  async ({ params: { chainId }, query: { after = null, limit } }, services) => {
    const chain = services.chainStatus().find((status) => status.chainId === chainId)
    if (chain === undefined) {
      throw new AppError('not_found', `This service does not follow chain ${chainId}.`, { field: 'chainId' })
    }
    const view = services.viewOf(chainId)
    if (view === null) {
      const message = `Drover has not seen a block of chain ${chainId} yet. Retry later.`
      throw new AppError('chain_unavailable', message, { retryAfterMs: 1_000 })
    }
    const stored = await services.store.readHeaders(chainId, 0, view.head.number)
    const { headers, from, confirmed, gap } = readConfirmedBlocks(view, stored, chain.finality, { after, limit })
    const next = headers.at(-1)?.number ?? after
    const page: BlockPage = { items: headers.map(presentBlock), next, from, confirmed, gap }
    return { status: 200, body: page }
  },
)
