/** The rules of a signer or an API key, and how much of each is used. */
import { z } from 'zod'
import { RULE_MODES } from '../../../core/rules/rule-set.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { address } from '../values/address.ts'
import { amount } from '../values/amount.ts'
import { bytes } from '../values/bytes.ts'
import { instant } from '../values/instant.ts'

const cap = amount.nullable()
const caps = z.object({ perTransaction: cap, perHour: cap, perDay: cap })
const chainId = z.int().nullable()

const ruleSet = z.object({
  mode: z.enum(RULE_MODES),
  chains: z.array(z.int()).nullable(),
  targets: z.array(z.object({ to: address, selectors: z.array(bytes).nullable(), chainId })).nullable(),
  contractCreation: z.boolean().nullable(),
  value: caps.nullable(),
  gas: caps.nullable(),
  tokens: z.array(caps.extend({ token: address, chainId, approvalAbove: cap })),
  count: z.object({ perHour: cap, perDay: cap }).nullable(),
  approval: z.object({ above: amount, of: z.int(), keys: z.array(z.string()), expiresInMs: z.int() }).nullable(),
})
resourceSchemas.add(ruleSet, { id: 'RuleSet' })

const ruleUse = z.object({
  rule: z.string().meta({ description: 'The field of the rule set, e.g. `value.perDay`.' }),
  chainId: z.int(),
  limit: amount,
  used: amount.meta({
    description: 'In the window until now. Transactions that have not ended count with the most they can spend.',
  }),
  remaining: amount,
})

export const rulesResource = z.object({
  subject: z.string().meta({ description: '`signer:0x…` or `key:…`.' }),
  rules: ruleSet.nullable().meta({ description: 'Null: no rules.' }),
  usage: z.array(ruleUse),
  updatedAt: instant.nullable(),
  updatedBy: z.string().nullable(),
})
export type RulesResource = z.infer<typeof rulesResource>
resourceSchemas.add(rulesResource, { id: 'Rules' })

export const approvalResource = z.object({
  needs: z.array(z.object({ subject: z.string(), of: z.int(), keys: z.array(z.string()) })),
  votes: z.array(z.object({ keyId: z.string(), name: z.string(), at: instant, reason: z.string() })),
  missing: z.int().meta({ description: 'How many more approvals it takes at least.' }),
  expiresAt: instant,
})
