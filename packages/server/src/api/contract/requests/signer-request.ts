/** What can be changed about a signer on one chain, and the bounds. Omitted fields stay as they are. */
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
      .meta({ description: 'Sets all fields of the preset. Other fields in the request override it.' }),
    maxInFlight: wholeNumberOrAuto(1, 10_000).meta({
      description:
        'Maximum number of transactions that use a slot at the same time. `auto`: as many as the RPC nodes keep.',
    }),
    slotHeldUntil: z.enum(['mined', 'final']),
    maxUnfinal: wholeNumber(1, 100_000).meta({
      description: 'Maximum number of transactions that are mined but not final.',
    }),
    resubmitIntervalMs: wholeNumber(500, DAY_MS),
    stuckAfterMs: wholeNumber(1_000, 30 * DAY_MS),
    maxSubmitAttempts: wholeNumber(1, 100_000),
    mayReplace: z
      .union([z.enum(REPLACEMENTS), z.boolean().transform(readMayReplace)], {
        error: `must be one of ${REPLACEMENTS.join(', ')}`,
      })
      .meta({
        description:
          'Whether Drover may replace a sent transaction. `never`; `on_order`: only when an operator or the stuck hook asks for it; `automatic`: also by itself. `true` means `automatic`, `false` means `never`.',
      }),
    bumpAfterMs: wholeNumber(500, DAY_MS),
    onDeferral: z.enum(['hold', 'pass_over']),
    lowBalance: amountInput({ min: 1n })
      .nullable()
      .meta({ description: 'Drover warns when the balance falls below this, in wei. Null: no warning.' }),
    lowRunway: wholeNumber(1, 1_000_000)
      .nullable()
      .meta({ description: 'Drover warns when the balance pays for fewer transactions than this. Null: no warning.' }),
    externalUse: z.boolean(),
    onForeignNonce: z.enum(['stuck', 'requeue']),
    gasLimitPercent: wholeNumber(100, 1_000),
    maxFeePerGas: amountInput({ min: 1n }).nullable().meta({ description: 'In wei. Null: no limit.' }),
    maxTxFee: amountInput({ min: 1n }).nullable().meta({
      description:
        "The most that a transaction may cost in fees (gas limit times price per gas), in wei. The chain's `maxTxFee` also applies, whichever is lower. Null: only the chain's limit.",
    }),
    finality: finalityRule.nullable().meta({ description: 'Null: the finality rule of the chain.' }),
  })
  .partial()
export type PolicyChange = z.output<typeof policyChange>

const chainId = z
  .int()
  .min(1)
  .optional()
  .meta({ description: 'Optional if the signer is registered on only one chain.' })

export const signerChange = z
  .strictObject({
    chainId,
    label: textInput(100).nullable().optional().meta({ description: 'Null removes it.' }),
    policy: policyChange.optional(),
    reason: reasonInput.optional(),
  })
  .refine(({ label, policy }) => label !== undefined || Object.keys(policy ?? {}).length > 0, {
    error: 'must change label or a field of policy',
  })
requestSchemas.add(signerChange, { id: 'SignerChange' })

/** Checked even if other fields are wrong, so one response names everything that is missing. */
function hasReadableKey({ issues }: z.core.ParsePayload): boolean {
  return !issues.some(({ code, path }) =>
    path?.length ? path[0] === 'address' || path[0] === 'createKey' : code === 'invalid_type',
  )
}

export const signerRegistration = z
  .strictObject({
    chainId: z.int().min(1),
    address: addressInput
      .optional()
      .meta({ description: 'Drover must have the key of this address. Leave it out with `createKey`.' }),
    createKey: z.literal(true, { error: 'must be true or left out' }).optional().meta({
      description:
        'Create a new key, encrypted in the database under the master key. The private key is shown to nobody.',
    }),
    label: textInput(100).nullable().optional(),
    policy: policyChange.optional().meta({ description: 'Fields that differ from the configured policy.' }),
  })
  .refine(({ address, createKey }) => address !== undefined || createKey === true, {
    path: ['address'],
    error: 'is required, unless createKey is true',
    when: hasReadableKey,
  })
  .refine(({ address, createKey }) => address === undefined || createKey !== true, {
    path: ['address'],
    error: 'must be left out if createKey is true',
    when: hasReadableKey,
  })
requestSchemas.add(signerRegistration, { id: 'SignerRegistration' })

export const removalRequest = z.strictObject({ reason: reasonInput })
requestSchemas.add(removalRequest, { id: 'RemovalRequest' })

export const laneRequest = z.strictObject({ chainId, reason: reasonInput })
requestSchemas.add(laneRequest, { id: 'LaneRequest' })

export const resetRequest = z.strictObject({
  chainId,
  reason: reasonInput,
  cancelInFlight: z.boolean().optional().meta({
    description:
      'First cancel everything in flight. Queued transactions stay queued and get no nonce until the reset is done.',
  }),
})
requestSchemas.add(resetRequest, { id: 'ResetRequest' })
