/** `GET /v1/chains/{chainId}/blocks/stream`: the confirmed blocks of a chain as they are confirmed, by Server-Sent Events. */
import { z } from 'zod'
import { AppError } from '../../../core/app-error.ts'
import { blockResource } from '../../contract/resources/block-resource.ts'
import { integerParam } from '../../contract/values/query.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'
import { createBlockSource } from '../../stream/block-source.ts'

const blockNumber = integerParam(0, Number.MAX_SAFE_INTEGER)

export const streamBlocks = defineRoute(
  {
    ...NO_INPUT,
    params: z.strictObject({ chainId: integerParam(1, Number.MAX_SAFE_INTEGER) }),
    query: z.strictObject({
      after: blockNumber
        .optional()
        .meta({ description: 'The last block that you processed. Default: only newly confirmed blocks.' }),
    }),
    headers: z.object({
      'last-event-id': blockNumber
        .optional()
        .meta({ description: 'The last block that you received. Takes precedence over `after`.' }),
    }),
  },
  {
    operationId: 'streamBlocks',
    method: 'GET',
    path: '/v1/chains/{chainId}/blocks/stream',
    summary: 'Stream confirmed blocks in order as they are confirmed',
    scope: 'read',
    answers: [
      {
        status: 200,
        description:
          'An endless stream of Server-Sent Events: `id` is the block number, `event` is `block`, `data` the same JSON as in a page. A `gap` event says from which block on this node still has blocks.',
        contentType: 'text/event-stream',
        events: [blockResource],
      },
    ],
    errors: ['not_found', 'too_many_streams'],
  },
  async ({ params: { chainId }, query: { after }, headers }, services, caller) => {
    const chain = services.chainStatus().find((status) => status.chainId === chainId)
    if (chain === undefined) {
      throw new AppError('not_found', `This service does not follow chain ${chainId}.`, { field: 'chainId' })
    }
    const { store, viewOf, onChain, eventStreams } = services
    const source = createBlockSource(
      {
        store,
        view: () => viewOf(chainId),
        onChain: (listener) => onChain((changed) => (changed === chainId ? listener() : undefined)),
      },
      { chainId, finality: chain.finality, after: headers['last-event-id'] ?? after ?? null },
    )
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
      body: eventStreams.openSource(source, caller),
    }
  },
)
