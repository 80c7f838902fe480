/** The service itself: the chains it follows, its nodes, and whether it is ready. */
import { z } from 'zod'
import { CHAIN_STATES } from '../../../core/chain/chain-health.ts'
import { ENDPOINT_ROLES, ENDPOINT_STATES } from '../../../ports/endpoint-report.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { hash } from '../values/bytes.ts'
import { finalityRule } from '../values/finality.ts'
import { instant } from '../values/instant.ts'

export const endpointResource = z.object({
  name: z.string().meta({ description: 'Host and port, plus the position if several URLs share them.' }),
  state: z.enum(ENDPOINT_STATES).meta({
    description:
      'Drover does not read from `lagging` and `implausible` endpoints, but still sends to them. It does not use `wrong_chain` endpoints at all.',
  }),
  since: instant,
  roles: z.array(z.enum(ENDPOINT_ROLES)).meta({
    description:
      '`read`: Drover may read from it. `send`: it gets the transactions of all signers without their own endpoint. `private`: it gets the transactions of single signers, which are sent nowhere else.',
  }),
  retryAt: instant.nullable().meta({ description: 'Drover leaves this endpoint alone until then.' }),
  inUse: z.boolean().meta({ description: 'Drover reads from this endpoint now.' }),
  head: z
    .object({ number: z.int(), seenAt: instant })
    .nullable()
    .meta({ description: 'The newest block that it reported, and when Drover first saw it.' }),
  lagBlocks: z.int().nullable().meta({ description: 'How many blocks it is behind the newest plausible block.' }),
  errorRate: z
    .number()
    .nullable()
    .meta({ description: 'Share of calls without a usable answer in the last minute, from 0 to 1.' }),
  latencyMs: z.int().nullable(),
  callsPerSecond: z
    .int()
    .nullable()
    .meta({ description: 'The rate limit that Drover observed. Null if it never answered 429.' }),
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
  following: z.boolean().meta({ description: 'True if Drover knows the newest block and keeps up with it.' }),
  health: z
    .object({
      state: z.enum(CHAIN_STATES),
      since: instant.nullable(),
      message: z.string().nullable(),
    })
    .meta({
      description:
        'As this node sees the chain. `standing`: stalled, no block for a long time while something waits to be mined. `rewound`: the head went back and has not recovered. `unreachable`: no RPC node responds.',
    }),
  lastError: z.string().nullable(),
  endpoints: z
    .array(endpointResource)
    .meta({ description: 'RPC endpoints as this node sees them, in the order of the URLs.' }),
})
export type ChainResource = z.infer<typeof chainResource>
resourceSchemas.add(chainResource, { id: 'Chain' })

export const chainList = z.object({ items: z.array(chainResource) })
resourceSchemas.add(chainList, { id: 'ChainList' })

export const nodeResource = z.object({
  id: z.string(),
  address: z.string().nullable().meta({ description: 'Host name of its machine, and the port it listens on.' }),
  lanes: z.int().meta({ description: 'Number of lanes that it holds the lease of.' }),
  chains: z.array(z.int()).nullable().meta({
    description:
      'Chains that this node can reach. It leaves signers of other chains to nodes that can reach them. Null if unknown.',
  }),
  self: z.boolean().meta({ description: 'True for the node that sent this response.' }),
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
      '`degraded`: this node works, but a chain, another node or a signer does not. `problems` says which and why.',
  }),
  problems: z.array(
    z.object({
      part: z.string().meta({ description: '`database`, `schema`, or the name of a chain, node or signer.' }),
      message: z.string(),
      action: z.string().meta({ description: 'What to do about it.' }),
      runbook: z.string().nullable().meta({
        description: 'Where the docs say more about it: an entry of docs/runbook.md. Null if there is none.',
      }),
    }),
  ),
})
resourceSchemas.add(readinessResource, { id: 'Readiness' })
