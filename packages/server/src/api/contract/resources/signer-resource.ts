/** A lane (one signer on one chain) as the API shows it. */
import { z } from 'zod'
import { LANE_PROBLEMS } from '../../../core/lane/lane-problem.ts'
import { REPLACEMENTS } from '../../../core/lane/policy.ts'
import { WINDOW_REASONS } from '../../../core/lane/window.ts'
import { KEY_SOURCES } from '../../../ports/key-source.ts'
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
  maxInFlight: z.union([z.int(), z.literal('auto')]).meta({
    description:
      'Maximum number of transactions that use a slot at the same time. `auto`: as many as the RPC nodes keep.',
  }),
  slotHeldUntil: z.enum(['mined', 'final']),
  maxUnfinal: z.int().meta({ description: 'Maximum number of transactions that are mined but not final.' }),
  resubmitIntervalMs: z.int(),
  stuckAfterMs: z.int(),
  maxSubmitAttempts: z.int(),
  mayReplace: z.enum(REPLACEMENTS).meta({
    description:
      'Whether Drover may replace a sent transaction. `on_order`: only when an operator or the stuck hook asks for it; `automatic`: also by itself.',
  }),
  bumpAfterMs: z.int(),
  onDeferral: z.enum(['hold', 'pass_over']),
  lowBalance: amount
    .nullable()
    .meta({ description: 'The balance is low when it falls below this, in wei. Null: no limit.' }),
  lowRunway: z
    .int()
    .nullable()
    .meta({ description: 'The balance is low when it pays for fewer transactions than this. Null: no limit.' }),
  externalUse: z.boolean(),
  onForeignNonce: z.enum(['stuck', 'requeue']),
  gasLimitPercent: z.int(),
  maxFeePerGas: amount.nullable(),
  maxTxFee: amount
    .nullable()
    .meta({ description: "The most that a transaction may cost in fees. Null: only the chain's `maxTxFee` applies." }),
  finality: finalityRule.nullable().meta({ description: 'Null: the finality rule of the chain.' }),
})

const problem = z.object({
  code: z.enum(LANE_PROBLEMS).meta({ description: 'Stable, so programs can rely on it.' }),
  level: z.enum(['bad', 'warn']),
  message: z.string().meta({ description: 'What is wrong. For people: the wording may change.' }),
  action: z.string().meta({ description: 'What to do about it. For people: the wording may change.' }),
  runbook: z.string().meta({ description: 'Where the docs say more about it: an entry of docs/runbook.md.' }),
  since: instant,
  transactionId: z.uuid().nullable().meta({ description: 'The first affected transaction.' }),
  reservationId: z.uuid().nullable(),
})

export const laneResource = z.object({
  chainId: z.int(),
  address,
  label: z.string().nullable(),
  paused: z.boolean(),
  sendsPrivately: z.boolean().meta({
    description:
      'True: its transactions go only to its own send endpoints (`rpcSendUrl`), and only a node that has one for it runs it.',
  }),
  policy,
  nextNonce: z.int().nullable().meta({ description: 'Null until the first nonce is assigned.' }),
  queued: z.int(),
  inFlight: z.int(),
  stuck: z.int(),
  reserved: z.int().meta({ description: 'Nonces reserved by callers who sign themselves.' }),
  free: z.int().meta({ description: 'Nonces that were given back. Drover uses them before new ones.' }),
  stuckReserved: z.int().meta({ description: 'Reserved nonces with an alarm.' }),
  lowestReserved: lowestReserved
    .nullable()
    .meta({ description: 'The lowest reserved nonce that is not mined. All higher nonces wait for it.' }),
  balance: z
    .object({
      wei: amount,
      at: instant,
      txCost: amount.nullable().meta({
        description:
          'Average cost of a recent transaction of this signer, value included. Before the first one: the cost of a plain transfer at the current price.',
      }),
      runway: z
        .int()
        .nullable()
        .meta({ description: 'How many such transactions the balance pays for. Null: unknown, or they cost nothing.' }),
      isLow: z
        .boolean()
        .meta({ description: 'True if the balance is below `lowRunway` or `lowBalance` of the policy.' }),
    })
    .nullable()
    .meta({ description: 'As last read by the node that runs the signer. Null until then.' }),
  chain: z
    .object({
      latest: z.int().meta({
        description: 'Transaction count of the account at the latest block, which is the next nonce on chain.',
      }),
      pending: z.int().meta({ description: "The same, including transactions in the RPC node's mempool." }),
      drift: z.int().meta({
        description:
          '0: the next nonce matches the chain. Negative: the chain is ahead, so something else uses this key. Positive: this many lower nonces are neither used nor reserved.',
      }),
      at: instant,
    })
    .nullable()
    .meta({
      description: 'Transaction counts on chain, as last read by the node that runs the signer. Null until then.',
    }),
  problems: z.array(problem).meta({ description: 'What blocks the signer now or soon, worst first.' }),
  window: z
    .object({
      size: z.int().meta({ description: 'How many unmined transactions the signer may have now.' }),
      reason: z.enum([...WINDOW_REASONS, 'delegated']),
      ceiling: z
        .int()
        .nullable()
        .meta({ description: 'How many the RPC nodes kept when they last dropped some. Null: they kept all.' }),
      since: instant,
    })
    .nullable()
    .meta({ description: 'How far the signer sends ahead, as found by the node that runs it. Null until then.' }),
  key: z
    .object({
      source: z.enum(KEY_SOURCES),
      place: z.string().meta({ description: 'Where the key is: a folder, a host, a region.' }),
      canSign: z.boolean().meta({ description: 'False if its key store does not respond.' }),
      problem: z.string().nullable().meta({ description: 'Why it cannot sign.' }),
      since: instant.nullable().meta({ description: 'Since when it cannot sign.' }),
    })
    .nullable()
    .meta({
      description: 'The key of the signer, as seen by the node that answers. Null: that node does not have it.',
    }),
  lastSignedAt: instant.nullable().meta({ description: 'When this signer last signed a transaction on this chain.' }),
  lastConfirmationAt: instant.nullable().meta({ description: 'When a transaction of this signer last became final.' }),
  lastNonceMovementAt: instant.nullable().meta({ description: 'When a transaction of this signer was last mined.' }),
  lease: z
    .object({ node: z.string(), fence: z.int(), expiresAt: instant, live: z.boolean() })
    .nullable()
    .meta({ description: 'The node that runs the signer. Null if none ever did.' }),
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
  resets: z.array(resetResource).meta({ description: 'The latest nonce resets, newest first.' }),
})
resourceSchemas.add(signerResource, { id: 'Signer' })

export const removalResource = z.object({
  address,
  chainIds: z.array(z.int()).meta({ description: 'The chains that it was removed from.' }),
})
resourceSchemas.add(removalResource, { id: 'Removal' })

export const keyCheckResource = z.object({
  address,
  verified: z.boolean().meta({ description: 'The key signed a challenge, and the address was recovered from it.' }),
  source: z.enum(KEY_SOURCES).nullable().meta({ description: 'Null: the node that answers does not have the key.' }),
  place: z.string().nullable(),
  problem: z.string().nullable(),
  tookMs: z.int().nullable(),
})
export type KeyCheckResource = z.infer<typeof keyCheckResource>
resourceSchemas.add(keyCheckResource, { id: 'KeyCheck' })
