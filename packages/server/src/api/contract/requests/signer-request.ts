/** What may be changed of a signer on one chain, and within which bounds. What is left out stays as it is. */
import { z } from 'zod'
import { REPLACEMENTS, readMayReplace } from '../../../core/lane/policy.ts'
import { requestSchemas } from '../api-schemas.ts'
import { addressInput } from '../values/address.ts'
import { amountInput } from '../values/amount.ts'
import { finalityRule } from '../values/finality.ts'
import { textInput } from '../values/text.ts'
import { reasonInput } from './operator-request.ts'

const DAY_MS = 24 * 60 * 60 * 1_000

function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.int({ error }).min(min, { error }).max(max, { error })
}

function wholeNumberOrAuto(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}, or auto`
  return z.union([z.int().min(min).max(max), z.literal('auto')], { error })
}

const policyChange = z
  .strictObject({
    preset: z
      .enum(['stable', 'fast'])
      .meta({ description: 'Sets all that the presets differ in; fields that are given as well come on top of it.' }),
    maxInFlight: wholeNumberOrAuto(1, 10_000).meta({
      description: "Transactions that hold a slot at one time; `auto`: as many as the chain's nodes keep.",
    }),
    slotHeldUntil: z.enum(['mined', 'final']),
    maxUnfinal: wholeNumber(1, 100_000).meta({ description: 'Most transactions that are mined and not final.' }),
    resubmitIntervalMs: wholeNumber(500, DAY_MS),
    stuckAfterMs: wholeNumber(1_000, 30 * DAY_MS),
    maxSubmitAttempts: wholeNumber(1, 100_000),
    mayReplace: z
      .union([z.enum(REPLACEMENTS), z.boolean().transform(readMayReplace)], {
        error: `must be one of ${REPLACEMENTS.join(', ')}`,
      })
      .meta({
        description:
          'Whether another transaction may take the place of a sent one. `on_order`: only where an operator or the stuck hook says so; `automatic`: also by itself. `true` is read as `automatic`, `false` as `never`.',
      }),
    bumpAfterMs: wholeNumber(500, DAY_MS),
    onDeferral: z.enum(['hold', 'pass_over']),
    lowBalance: amountInput({ min: 1n }).nullable().meta({ description: 'Wei; below it a warning; null: none.' }),
    lowRunway: wholeNumber(1, 1_000_000)
      .nullable()
      .meta({ description: 'A warning when the balance pays for fewer transactions than this; null: none.' }),
    externalUse: z.boolean(),
    onForeignNonce: z.enum(['stuck', 'requeue']),
    gasLimitPercent: wholeNumber(100, 1_000),
    maxFeePerGas: amountInput({ min: 1n }).nullable().meta({ description: 'Wei; null: no cap.' }),
    maxTxFee: amountInput({ min: 1n }).nullable().meta({
      description:
        "Wei; no transaction may cost more than this in fees (gas limit times price per gas). The chain's `maxTxFee` counts as well, whichever is lower. Null: the chain's alone.",
    }),
    finality: finalityRule.nullable().meta({ description: 'Null: the rule of the chain.' }),
  })
  .partial()
export type PolicyChange = z.output<typeof policyChange>

const chainId = z
  .int()
  .min(1)
  .optional()
  .meta({ description: 'May be left out where the signer is registered on one chain.' })

export const signerChange = z
  .strictObject({
    chainId,
    label: textInput(100).nullable().optional().meta({ description: 'Null takes it away.' }),
    policy: policyChange.optional(),
  })
  .refine(({ label, policy }) => label !== undefined || Object.keys(policy ?? {}).length > 0, {
    error: 'must change something: label, or a field of policy',
  })
requestSchemas.add(signerChange, { id: 'SignerChange' })

export const signerRegistration = z.strictObject({
  chainId: z.int().min(1),
  address: addressInput.meta({ description: 'Its key must be among those that this service holds.' }),
  label: textInput(100).nullable().optional(),
  policy: policyChange
    .optional()
    .meta({ description: 'What differs from the policy that the configuration gives it.' }),
})
requestSchemas.add(signerRegistration, { id: 'SignerRegistration' })

export const laneRequest = z.strictObject({ chainId, reason: reasonInput })
requestSchemas.add(laneRequest, { id: 'LaneRequest' })

export const resetRequest = z.strictObject({
  chainId,
  reason: reasonInput,
  cancelInFlight: z.boolean().optional().meta({
    description:
      'Cancel everything that is in flight first, as one order. Transactions in line stay there and take no nonce until it is over.',
  }),
})
requestSchemas.add(resetRequest, { id: 'ResetRequest' })
