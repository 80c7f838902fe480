/** The timers that are due, in the order in which they fire, and the limit that holds the others back. */
import { useContext } from 'preact/hooks'
import type { TimerQueueResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { shortenAddress } from '../../format/shorten.ts'
import { Service } from '../../live/service.ts'
import { useResource } from '../../live/use-resource.ts'
import { nameChain } from '../../words/chain-names.ts'
import { Empty, Loaded } from '../placeholders.tsx'

type Waiting = TimerQueueResource['items'][number]

const HELD: Readonly<Record<NonNullable<Waiting['heldBy']>, string>> = {
  target_quota: 'this contract has had its share of the block',
  block_quota: 'the block is full of fires',
  gas: 'the gas of the block is used up',
}

export function TimerQueue({ chainId }: { readonly chainId: number }) {
  const { api } = useContext(Service)
  const queue = useResource(`timer queue ${chainId}`, () => api.showTimerQueue(chainId))
  const titleId = `queue-${chainId}`
  return (
    <section class="panel" aria-labelledby={titleId}>
      <div class="panel-head">
        <h2 id={titleId}>Next block on {nameChain(chainId)}</h2>
        {queue.type === 'ready' && (
          <span class="muted">
            block {formatCount(queue.value.height)} · {formatCount(queue.value.live)} timers · at most{' '}
            {formatCount(queue.value.maxFiresPerBlock)} fires, {formatCount(queue.value.maxFiresPerTarget)} per contract
          </span>
        )}
      </div>
      <Loaded resource={queue} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No timer is due at the next block" />
          ) : (
            <ol class="queue">
              {items.map((item, index) => (
                <QueueItem key={item.kernelId} item={item} place={index + 1} />
              ))}
            </ol>
          )
        }
      </Loaded>
    </section>
  )
}

function QueueItem({ item, place }: { readonly item: Waiting; readonly place: number }) {
  const { to, dueHeight, waitedBlocks, heldBy } = item
  return (
    <li class={`queue-item ${heldBy === null ? '' : 'is-held'}`}>
      <span class="queue-place figure">{place}</span>
      <span class="mono" title={to}>
        {shortenAddress(to)}
      </span>
      <span class="muted">
        due at {formatCount(dueHeight)}
        {waitedBlocks > 0 && `, waited ${formatCount(waitedBlocks)} blocks`}
      </span>
      <span class="queue-why">{heldBy === null ? 'fires' : `waits: ${HELD[heldBy]}`}</span>
    </li>
  )
}
