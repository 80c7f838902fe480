/** A lane (one signer on one chain) as the API shows it. */
import { z } from 'zod'
import { LANE_PROBLEMS } from '../../../core/lane/lane-problem.ts'
import { REPLACEMENTS } from '../../../core/lane/policy.ts'
import { WINDOW_REASONS } from '../../../core/lane/window.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { lowestReserved } from '../requests/lowest-reserved.ts'
import { address } from '../values/address.ts'
import { amount } from '../values/amount.ts'
import { finalityRule } from '../values/finality.ts'
import { instant } from '../values/instant.ts'
import { resetResource } from './reset-resource.ts'
import { transactionResource } from './transaction-resource.ts'

const policy = z.object({
  preset: z.enum(['stable', 'fast']),
  maxInFlight: z
    .union([z.int(), z.literal('auto')])
    .meta({ description: "Transactions that hold a slot at one time; `auto`: as many as the chain's nodes keep." }),
  slotHeldUntil: z.enum(['mined', 'final']),
  maxUnfinal: z.int().meta({ description: 'Most transactions that are mined and not final.' }),
  resubmitIntervalMs: z.int(),
  stuckAfterMs: z.int(),
  maxSubmitAttempts: z.int(),
  mayReplace: z.enum(REPLACEMENTS).meta({
    description: '`on_order`: only where an operator or the stuck hook says so; `automatic`: also by itself.',
  }),
  bumpAfterMs: z.int(),
  onDeferral: z.enum(['hold', 'pass_over']),
  lowBalance: amount.nullable().meta({ description: 'Wei; below it the balance is low. Null: no such limit.' }),
  lowRunway: z
    .int()
    .nullable()
    .meta({ description: 'The balance is low when it pays for fewer transactions than this. Null: no such limit.' }),
  externalUse: z.boolean(),
  onForeignNonce: z.enum(['stuck', 'requeue']),
  gasLimitPercent: z.int(),
  maxFeePerGas: amount.nullable(),
  maxTxFee: amount
    .nullable()
    .meta({ description: "Most that a transaction may cost in fees; null: the chain's `maxTxFee` alone." }),
  finality: finalityRule.nullable().meta({ description: 'Null: the rule of the chain.' }),
})

const problem = z.object({
  code: z.enum(LANE_PROBLEMS).meta({ description: 'Stable: programs may act on it.' }),
  level: z.enum(['bad', 'warn']),
  message: z.string().meta({ description: 'What is wrong. For people; may change.' }),
  action: z.string().meta({ description: 'What to do about it. For people; may change.' }),
  since: instant,
  transactionId: z.uuid().nullable().meta({ description: 'The first transaction that it concerns.' }),
  reservationId: z.uuid().nullable(),
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
  reserved: z.int().meta({ description: 'Nonces that are lent to callers who sign themselves.' }),
  free: z.int().meta({ description: 'Nonces that came back; they are used before any new one.' }),
  stuckReserved: z.int().meta({ description: 'Reserved nonces for which an alarm was raised.' }),
  lowestReserved: lowestReserved
    .nullable()
    .meta({ description: 'The lowest lent nonce that is in no block: everything above it waits for it.' }),
  balance: z
    .object({
      wei: amount,
      at: instant,
      txCost: amount.nullable().meta({
        description:
          'What one transaction takes from the account: the recent average of this lane, value included; before its first one, a plain transfer at the price of the moment.',
      }),
      runway: z
        .int()
        .nullable()
        .meta({ description: 'How many such transactions it still pays for. Null: not known, or they cost nothing.' }),
      isLow: z.boolean().meta({ description: 'Below `lowRunway` or `lowBalance` of the policy.' }),
    })
    .nullable()
    .meta({ description: 'As the owner of the lane last read it; null until it has.' }),
  chain: z
    .object({
      latest: z
        .int()
        .meta({ description: 'Transactions of the account up to the latest block: the next nonce on chain.' }),
      pending: z.int().meta({ description: "The same, with those in the RPC node's pool." }),
      drift: z.int().meta({
        description:
          '0: the cursor fits. Below zero: the chain is past it, so something else uses the key. Above: so many nonces below it are neither used nor held.',
      }),
      at: instant,
    })
    .nullable()
    .meta({ description: 'What the chain counts, as the owner of the lane last saw it; null until it looked.' }),
  problems: z.array(problem).meta({ description: 'What keeps the lane from its work, or soon will; the worst first.' }),
  window: z
    .object({
      size: z.int().meta({ description: 'How many unmined transactions may be out now.' }),
      reason: z.enum([...WINDOW_REASONS, 'delegated']),
      ceiling: z
        .int()
        .nullable()
        .meta({ description: 'What nodes kept when it was last too much; null: they kept all.' }),
      since: instant,
    })
    .nullable()
    .meta({ description: 'How far the lane sends ahead, as its owner found it; null until one ran it.' }),
  lastConfirmationAt: instant.nullable().meta({ description: 'When a transaction of the lane was last found final.' }),
  lastNonceMovementAt: instant
    .nullable()
    .meta({ description: 'When a transaction of the lane was last found in a block.' }),
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

export const fillList = z.object({ items: z.array(transactionResource) })
resourceSchemas.add(fillList, { id: 'FillList' })

export const signerResource = z.object({
  address,
  lanes: z.array(laneResource),
  resets: z.array(resetResource).meta({ description: 'The latest resets of its cursors, newest first.' }),
})
resourceSchemas.add(signerResource, { id: 'Signer' })
