/** Marks a transaction STUCK: it keeps its nonce, and an alarm is raised. */
import { withoutInclusion } from './shed-fields.ts'
import { move, type Step } from './step.ts'
import type { InFlight, Stuck, TxError } from './transaction.ts'

export function getStuck(
  tx: InFlight,
  subState: Stuck['subState'],
  error: TxError,
  { at, detail = {} }: { readonly at: number; readonly detail?: Readonly<Record<string, unknown>> },
): Step {
  return move(
    { ...withoutInclusion(tx), state: 'STUCK', subState, error, stuckAt: at },
    { type: 'stuck.declared', cause: error.code, detail: { message: error.message, nonce: tx.nonce, ...detail } },
    { type: 'alarm', cause: error.code },
  )
}
