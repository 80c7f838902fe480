/** A rule set as it is sent. Omitted fields limit nothing. */
import { z } from 'zod'
import { RULE_MODES, type RuleSet } from '../../../core/rules/rule-set.ts'
import { requestSchemas } from '../api-schemas.ts'
import { addressInput } from '../values/address.ts'
import { amountInput } from '../values/amount.ts'
import { bytesInput } from '../values/bytes.ts'
import { textInput } from '../values/text.ts'

const MAX_TARGETS = 500
const MAX_SELECTORS = 100
const MAX_TOKENS = 50
const MAX_CHAINS = 100
const MAX_KEYS = 20
const DAY_MS = 86_400_000

const cap = amountInput().nullable().default(null)
const chainId = z.int().min(1).nullable().default(null).meta({ description: 'Null: on any chain.' })

const caps = z.strictObject({
  perTransaction: cap,
  perHour: cap,
  perDay: cap,
})

const selector = bytesInput(4)
  .refine((bytes) => bytes === '0x' || bytes.length === 10, {
    error: 'must be 4 bytes ("0xa9059cbb"), or "0x" for a transfer without data',
  })
  .meta({ description: 'The first four bytes of the data, or `0x` for a transfer without data.' })

const target = z.strictObject({
  to: addressInput,
  selectors: z.array(selector).min(1).max(MAX_SELECTORS).nullable().default(null).meta({
    description: 'Null: anything may be called, with or without data.',
  }),
  chainId,
})

const tokenCaps = caps.extend({
  token: addressInput,
  chainId,
  approvalAbove: cap.meta({ description: 'Above this amount, the transaction needs approval.' }),
})

const approval = z
  .strictObject({
    above: amountInput().meta({ description: 'Transactions that send more than this, in wei, need approval.' }),
    of: z.int().min(1).max(MAX_KEYS).meta({ description: 'How many keys must approve.' }),
    keys: z
      .array(textInput(100))
      .min(1)
      .max(MAX_KEYS)
      .meta({ description: 'Names or ids of the API keys that may approve. They need the scope `approve`.' }),
    expiresInMs: z
      .int()
      .min(60_000)
      .max(30 * DAY_MS)
      .default(DAY_MS)
      .meta({ description: 'After this time without enough approvals it is CANCELLED.' }),
  })
  .refine(({ of, keys }) => new Set(keys).size >= of, {
    error: 'must name at least as many keys as `of`',
    path: ['keys'],
  })

export const ruleSetRequest = z
  .strictObject({
    mode: z.enum(RULE_MODES).default('enforce').meta({
      description: '`report`: nothing is refused, but what would be refused is logged, counted and audited.',
    }),
    chains: z.array(z.int().min(1)).max(MAX_CHAINS).nullable().default(null).meta({ description: 'Null: any.' }),
    targets: z.array(target).max(MAX_TARGETS).nullable().default(null).meta({ description: 'Null: any.' }),
    contractCreation: z.boolean().nullable().default(null).meta({
      description: 'Null: allowed, unless `targets` are listed.',
    }),
    value: caps.nullable().default(null).meta({ description: 'Native currency sent along, in wei, on each chain.' }),
    gas: caps.nullable().default(null).meta({
      description: 'Fees, in wei, on each chain: the most that it can cost, and what it did cost once it is final.',
    }),
    tokens: z.array(tokenCaps).max(MAX_TOKENS).default([]).meta({
      description:
        'Amounts of `transfer`, `approve`, `transferFrom` and the like (see rules.md), in the smallest unit of the token.',
    }),
    count: z
      .strictObject({ perHour: cap, perDay: cap })
      .nullable()
      .default(null)
      .meta({ description: 'Transactions on each chain.' }),
    approval: approval.nullable().default(null),
  })
  .refine(
    ({ tokens, approval: rule }) => rule !== null || tokens.every(({ approvalAbove }) => approvalAbove === null),
    {
      error: 'must be set if a token has approvalAbove: it says who approves',
      path: ['approval'],
    },
  )
  .transform((rules): RuleSet => rules)
requestSchemas.add(ruleSetRequest, { id: 'RuleSetRequest' })
