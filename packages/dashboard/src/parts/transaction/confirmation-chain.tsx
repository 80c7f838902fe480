/** Draws the block of a transaction and the blocks on top of it. A block that a reorg dropped is crossed out below the one that replaced it. */
import { useContext, useRef } from 'preact/hooks'
import type { ConfirmationsResource, EventResource, TransactionResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { shortenHash } from '../../format/shorten.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { type Block, type BlockColumn, formBlockColumns } from '../../words/block-columns.ts'

const SHOWN = 32
/** Blocks on top of it that this tab remembers, to show them when a reorg drops them. */
const KEPT = 64

interface ConfirmationChainProps {
  readonly tx: TransactionResource
  readonly history: readonly EventResource[]
}

export function ConfirmationChain({ tx, history }: ConfirmationChainProps) {
  const { api } = useContext(Service)
  const seen = useRef<readonly Block[]>([])
  const chain = useResource(`confirmations ${tx.id}`, async (previous: ConfirmationsResource | null) => {
    if (previous?.final) return previous
    const read = await api.readConfirmations(tx.id)
    const isNew = ({ blockHash }: Block) => !seen.current.some((known) => known.blockHash === blockHash)
    seen.current = [...seen.current, ...read.items.filter(isNew)].slice(-KEPT)
    return read
  })
  if (chain.type !== 'ready') return null
  const { items, required, newForks } = chain.value
  const columns = formBlockColumns({ own: tx.inclusion, above: items, history, seen: seen.current })
  const missing = typeof required === 'number' ? Math.max(0, Math.min(SHOWN, required) - items.length) : 0
  if (columns.length === 0) return null
  return (
    <div class="block-chain">
      <ol aria-label="Its block, and the blocks on top">
        {columns.slice(-SHOWN).map((column) => (
          <Column key={column.blockNumber} column={column} />
        ))}
        {Array.from({ length: missing }, (_, index) => (
          <li key={`missing ${index}`} class="block-column" aria-hidden="true">
            <span class="block-cell is-missing" />
          </li>
        ))}
      </ol>
      {newForks > 0 && (
        <p class="is-alarming">
          A reorg replaced its blocks {newForks === 1 ? 'once' : `${formatCount(newForks)} times`}. Dropped blocks are
          crossed out.
        </p>
      )}
    </div>
  )
}

function Column({ column: { blockNumber, blockHash, isOwn, dropped } }: { readonly column: BlockColumn }) {
  const number = formatCount(blockNumber)
  const [kind, title] =
    blockHash === null
      ? ['is-other', `Block ${number}: another block is there now, without this transaction`]
      : isOwn
        ? ['is-own', `Its own block ${number}, ${blockHash}`]
        : ['', `Block ${number}, ${shortenHash(blockHash)}`]
  return (
    <li class="block-column">
      <span class={`block-cell ${kind}`} title={title}>
        {number}
      </span>
      {dropped.map(({ blockHash: hash, wasOwn }) => (
        <del
          key={hash}
          class={`block-cell is-dropped ${wasOwn ? 'was-own' : ''}`}
          title={`Dropped by a reorg: block ${number}, ${hash}${wasOwn ? ', which held this transaction' : ''}`}
        >
          {number}
        </del>
      ))}
    </li>
  )
}
