/** Why a transaction is where it is, what comes next and when, and what an operator could do. */
import { z } from 'zod'
import { EXPLAINED_ACTIONS } from '../../../core/explain/explain.ts'
import { CAUSES } from '../../../core/explain/explanation.ts'
import { TX_STATES } from '../../../core/transaction/transaction.ts'
import { resourceSchemas } from '../api-schemas.ts'
import { lowestReserved } from '../requests/lowest-reserved.ts'
import { address } from '../values/address.ts'
import { instant } from '../values/instant.ts'

const blockedBy = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('transaction'),
    transactionId: z.uuid(),
    nonce: z.int().min(0),
    state: z.enum(TX_STATES),
  }),
  lowestReserved.extend({ type: z.literal('reservation') }),
  z.object({ type: z.literal('lane'), chainId: z.int(), address }),
  z.object({ type: z.literal('chain'), chainId: z.int() }),
  z.object({ type: z.literal('slot'), inFlight: z.int(), maxInFlight: z.int() }),
  z.object({ type: z.literal('node'), node: z.string().nullable() }),
])

export const explanationResource = z.object({
  summary: z.string().meta({ description: 'For people. The wording may change.' }),
  cause: z.enum(CAUSES).meta({ description: 'Stable, so programs can rely on it.' }),
  revertReason: z.string().nullable().meta({
    description:
      'Why its call reverted on chain, read by running it again on the state before its block. Null if it did not revert, or if the RPC nodes cannot tell.',
  }),
  blockedBy: blockedBy.optional().meta({ description: 'What has to move first, if anything.' }),
  nextAction: z.string().meta({ description: 'What Drover does next by itself.' }),
  nextActionAt: instant.nullable().meta({ description: 'Null if the time is not known in advance.' }),
  advice: z.string().nullable().meta({
    description: 'What you should do now. Null if there is nothing to do. For people: the wording may change.',
  }),
  runbook: z.string().nullable().meta({
    description: 'Where the docs say what to do: an entry of docs/runbook.md. Null if there is nothing to do.',
  }),
  options: z
    .array(z.object({ action: z.enum(EXPLAINED_ACTIONS), effect: z.string() }))
    .meta({ description: 'What can be done to it now, and the effect of each action.' }),
})
export type ExplanationResource = z.infer<typeof explanationResource>
resourceSchemas.add(explanationResource, { id: 'Explanation' })
