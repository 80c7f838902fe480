/** The service itself: the chains it follows, its nodes, and whether it is fit for work. */
import { z } from 'zod'
import { CHAIN_STATES } from '../../core/chain-health.ts'
import { resourceSchemas } from './api-schemas.ts'
import { hash } from './bytes.ts'
import { finalityRule } from './finality.ts'
import { instant } from './instant.ts'

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
    description: '`degraded`: the node does its work, but a chain does not; `problems` says which and why.',
  }),
  problems: z.array(z.object({ part: z.string(), message: z.string() })),
})
resourceSchemas.add(readinessResource, { id: 'Readiness' })
