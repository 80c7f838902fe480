/** A finality rule as callers write it: a number of confirmations, or the name of a tag. */
import { z } from 'zod'
import type { Finality } from '../../../core/chain/finality.ts'

const error = 'must be a number of confirmations (0 to 10000), "safe" or "finalized"'

export const finalityRule = z
  .union([z.int({ error }).min(0, { error }).max(10_000, { error }), z.enum(['safe', 'finalized'])], { error })
  .meta({
    description:
      'Number of confirmations, or the block tag (`safe`, `finalized`) that has to reach the block of the transaction.',
  })

export type FinalityRule = z.infer<typeof finalityRule>

export function parseFinality(rule: FinalityRule): Finality {
  return typeof rule === 'number' ? { type: 'confirmations', count: rule } : { type: rule }
}

export function presentFinality(finality: Finality): FinalityRule {
  return finality.type === 'confirmations' ? finality.count : finality.type
}
