/** Where a transaction is on the chain: its confirmations so far, and block by block with what reorgs dropped. */
import type { EventResource, TransactionResource } from '../../api/api-resources.ts'
import { describeConfirmations } from '../../words/confirmations.ts'
import { isTerminal } from '../../words/state-words.ts'
import { ConfirmationChain } from './confirmation-chain.tsx'

interface BlockPanelProps {
  readonly tx: TransactionResource
  readonly history: readonly EventResource[]
}

/** Shown once it was in a block, also if a reorg dropped that block. */
export function BlockPanel({ tx, history }: BlockPanelProps) {
  if (tx.inclusion === null && tx.confirmations.newForks === 0) return null
  return (
    <section class="panel" aria-labelledby="blocks-title">
      <div class="panel-head">
        <h2 id="blocks-title">Blocks</h2>
        {tx.inclusion === null && !isTerminal(tx.state) && <span class="tag is-warn">in no block now</span>}
      </div>
      {tx.inclusion !== null && !isTerminal(tx.state) && <Confirmations confirmations={tx.confirmations} />}
      <ConfirmationChain tx={tx} history={history} />
    </section>
  )
}

function Confirmations({ confirmations }: Pick<TransactionResource, 'confirmations'>) {
  const { count, required } = confirmations
  return (
    <p class="confirmations">
      {typeof required === 'number' && required > 0 && (
        <progress max={required} value={Math.min(count, required)} aria-label="Confirmations" />
      )}
      <span>{describeConfirmations(confirmations)}</span>
    </p>
  )
}
