/** The blocks on top of a transaction, one cell each, until there are enough. */
import { useContext } from 'preact/hooks'
import type { ConfirmationsResource, TransactionResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { shortenHash } from '../../format/shorten.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'

const SHOWN = 32

export function ConfirmationChain({ tx }: { readonly tx: TransactionResource }) {
  const { api } = useContext(Service)
  const chain = useResource(`confirmations ${tx.id}`, (previous: ConfirmationsResource | null) =>
    previous?.final ? Promise.resolve(previous) : api.readConfirmations(tx.id),
  )
  if (chain.type !== 'ready') return null
  const { items, required, newForks } = chain.value
  const missing = typeof required === 'number' ? Math.max(0, Math.min(SHOWN, required) - items.length) : 0
  return (
    <div class="block-chain">
      <ol aria-label="Blocks on top of it">
        {tx.inclusion !== null && (
          <li class="block-cell is-own" title={`Its own block, ${tx.inclusion.blockHash}`}>
            {formatCount(tx.inclusion.blockNumber)}
          </li>
        )}
        {items.slice(-SHOWN).map(({ blockNumber, blockHash }) => (
          <li key={blockHash} class="block-cell" title={`Block ${blockNumber}, ${shortenHash(blockHash)}`}>
            {formatCount(blockNumber)}
          </li>
        ))}
        {Array.from({ length: missing }, (_, index) => (
          <li key={index} class="block-cell is-missing" aria-hidden="true" />
        ))}
      </ol>
      {newForks > 0 && (
        <p class="is-alarming">
          A reorg replaced these blocks {newForks === 1 ? 'once' : `${formatCount(newForks)} times`}.
        </p>
      )}
    </div>
  )
}
