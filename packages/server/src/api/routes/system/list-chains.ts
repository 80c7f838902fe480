/** `GET /v1/chains`: the chains that this node follows, as it sees them. */
import type { EndpointReport } from '../../../ports/endpoint-report.ts'
import type { ChainStatus } from '../../api-services.ts'
import { type ChainResource, chainList, type EndpointResource } from '../../contract/resources/system-resource.ts'
import { presentFinality } from '../../contract/values/finality.ts'
import { presentInstant } from '../../contract/values/instant.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const listChains = defineRoute(
  NO_INPUT,
  {
    operationId: 'listChains',
    method: 'GET',
    path: '/v1/chains',
    summary: 'List the chains',
    scope: 'read',
    answers: [{ status: 200, description: 'All chains.', schema: chainList }],
    errors: [],
  },
  (_, services) => ({ status: 200, body: { items: services.chainStatus().map(presentChain) } }),
)

function presentChain(status: ChainStatus): ChainResource {
  const { chainId, head, safe, finalized, finality, following, health, lastError, endpoints } = status
  return {
    chainId,
    safe,
    finalized,
    following,
    lastError,
    head: head && { number: head.number, hash: head.hash, timestamp: presentInstant(head.timestamp * 1_000) },
    finality: presentFinality(finality),
    health: {
      state: health.state,
      since: health.since === null ? null : presentInstant(health.since),
      message: health.message,
    },
    endpoints: endpoints.map(presentEndpoint),
  }
}

function presentEndpoint({ since, retryAt, roles, head, lastError, ...rest }: EndpointReport): EndpointResource {
  return {
    ...rest,
    roles: [...roles],
    retryAt: retryAt === null ? null : presentInstant(retryAt),
    since: presentInstant(since),
    head: head && { number: head.number, seenAt: presentInstant(head.seenAt) },
    lastError: lastError && { message: lastError.message, at: presentInstant(lastError.at) },
  }
}
