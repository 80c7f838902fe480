/** A lane (one signer on one chain) as the API shows it. */
import { z } from 'zod'
import { address } from './address.ts'
import { amount } from './amount.ts'
import { resourceSchemas } from './api-schemas.ts'
import { finalityRule } from './finality.ts'
import { instant } from './instant.ts'

const policy = z.object({
  preset: z.enum(['stable', 'fast']),
  maxInFlight: z.int(),
  resubmitIntervalMs: z.int(),
  stuckAfterMs: z.int(),
  maxSubmitAttempts: z.int(),
  mayReplace: z.boolean(),
  externalUse: z.boolean(),
  onForeignNonce: z.enum(['stuck', 'requeue']),
  gasLimitPercent: z.int(),
  maxFeePerGas: amount.nullable(),
  finality: finalityRule.nullable().meta({ description: 'Null: the rule of the chain.' }),
})

export const laneResource = z.object({
  chainId: z.int(),
  address,
  label: z.string().nullable(),
  paused: z.boolean(),
  policy,
  nextNonce: z.int().nullable().meta({ description: 'Null until the first nonce is taken.' }),
  queued: z.int(),
  inFlight: z.int(),
  stuck: z.int(),
  lease: z
    .object({ node: z.string(), fence: z.int(), expiresAt: instant, live: z.boolean() })
    .nullable()
    .meta({ description: 'The node that advances the lane; null if none ever did.' }),
  createdAt: instant,
})
export type LaneResource = z.infer<typeof laneResource>
resourceSchemas.add(laneResource, { id: 'Lane' })

export const laneList = z.object({ items: z.array(laneResource) })
resourceSchemas.add(laneList, { id: 'LaneList' })

export const signerResource = z.object({ address, lanes: z.array(laneResource) })
resourceSchemas.add(signerResource, { id: 'Signer' })
