/** A state as a chip: identified by its text first, then by colour and shape. */
import type { TransactionResource } from '../../api/api-resources.ts'
import { shortConfirmations } from '../../words/confirmations.ts'
import { describeSubState, isTerminal, STATE_NAMES, type TxState } from '../../words/state-words.ts'

export function StateChip({ state }: { readonly state: TxState }) {
  return (
    <span class={`chip is-${state.toLowerCase()}`} key={state}>
      <span class="chip-dot" aria-hidden="true" />
      {STATE_NAMES[state]}
    </span>
  )
}

/** The sub-state; nothing if the state says it all. */
export function SubStateText({ tx }: { readonly tx: TransactionResource }) {
  if (isTerminal(tx.state) && tx.subState !== 'rejected' && tx.subState !== 'resolved') return null
  const confirmations = tx.subState === 'mined' ? shortConfirmations(tx.confirmations) : null
  return (
    <span class="sub-state">
      {describeSubState(tx.subState)}
      {confirmations !== null && <span class="figure"> {confirmations}</span>}
    </span>
  )
}
