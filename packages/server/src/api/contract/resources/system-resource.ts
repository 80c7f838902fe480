/** The service itself: the chains it follows, its nodes, and whether it is fit for work. */
import { z } from 'zod'
import { CHAIN_STATES } from '../../../core/chain/chain-health.ts'
import { ENDPOINT_STATES } from '../../../ports/endpoint-report.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { hash } from '../values/bytes.ts'
import { finalityRule } from '../values/finality.ts'
import { instant } from '../values/instant.ts'

export const endpointResource = z.object({
  name: z.string().meta({ description: 'Host and port; with its position where several URLs share them.' }),
  state: z.enum(ENDPOINT_STATES).meta({
    description:
      '`lagging` and `implausible` endpoints are not read from, but still sent to; `wrong_chain` ones are not used at all.',
  }),
  since: instant,
  inUse: z.boolean().meta({ description: 'Reads go to it now. Transactions are sent to every endpoint.' }),
  head: z
    .object({ number: z.int(), seenAt: instant })
    .nullable()
    .meta({ description: 'The newest block that it told of, and when this was first seen.' }),
  lagBlocks: z.int().nullable().meta({ description: 'Blocks behind the newest one that can be believed.' }),
  errorRate: z
    .number()
    .nullable()
    .meta({ description: 'Share of the calls of the last minute without a usable answer, from 0 to 1.' }),
  latencyMs: z.int().nullable(),
  callsPerSecond: z
    .int()
    .nullable()
    .meta({ description: 'The rate that it was found to allow; null where it never answered 429.' }),
  lastError: z.object({ message: z.string(), at: instant }).nullable(),
})
export type EndpointResource = z.infer<typeof endpointResource>
resourceSchemas.add(endpointResource, { id: 'Endpoint' })

export const chainResource = z.object({
  chainId: z.int(),
  head: z.object({ number: z.int(), hash, timestamp: instant }).nullable(),
  safe: z.int().nullable(),
  finalized: z.int().nullable(),
  finality: finalityRule,
  following: z.boolean().meta({ description: 'The head is known and kept up with.' }),
  health: z
    .object({
      state: z.enum(CHAIN_STATES),
      since: instant.nullable(),
      message: z.string().nullable(),
    })
    .meta({
      description:
        'As this node sees the chain. `standing`: no block for long while something waits to be mined; `rewound`: the head went back and stays there; `unreachable`: no RPC node answers.',
    }),
  lastError: z.string().nullable(),
  endpoints: z
    .array(endpointResource)
    .meta({ description: 'Its RPC endpoints as this node sees them, in the order of the URLs.' }),
})
export type ChainResource = z.infer<typeof chainResource>
resourceSchemas.add(chainResource, { id: 'Chain' })

export const chainList = z.object({ items: z.array(chainResource) })
resourceSchemas.add(chainList, { id: 'ChainList' })

export const nodeResource = z.object({
  id: z.string(),
  address: z.string().nullable(),
  lanes: z.int().meta({ description: 'How many lanes it holds the lease of.' }),
  chains: z.array(z.int()).nullable().meta({
    description:
      'Chains whose RPC nodes answer it; it runs no lane of another while a peer can. Null where it does not say.',
  }),
  self: z.boolean().meta({ description: 'The node that gave this answer.' }),
  startedAt: instant,
  heartbeatAt: instant,
})
export type NodeResource = z.infer<typeof nodeResource>
resourceSchemas.add(nodeResource, { id: 'Node' })

export const nodeList = z.object({ items: z.array(nodeResource) })
resourceSchemas.add(nodeList, { id: 'NodeList' })

export const health = z.object({ status: z.literal('alive') })
resourceSchemas.add(health, { id: 'Health' })

export const readinessResource = z.object({
  ready: z.boolean(),
  status: z.enum(['ready', 'degraded', 'unavailable']).meta({
    description:
      '`degraded`: the node does its work, but a chain, another node or a signer does not; `problems` says which and why.',
  }),
  problems: z.array(
    z.object({
      part: z.string().meta({ description: '`database`, `schema`, or a chain, node or signer with its name.' }),
      message: z.string(),
      action: z.string().meta({ description: 'What to do about it.' }),
    }),
  ),
})
resourceSchemas.add(readinessResource, { id: 'Readiness' })
