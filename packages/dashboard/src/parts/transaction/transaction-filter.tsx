/** Which transactions the list shows, and from which end. The choice is in the address, so it can be kept. */
import { useState } from 'preact/hooks'
import type { LaneResource } from '../../api/api-resources.ts'
import { shortenAddress } from '../../format/shorten.ts'
import { formHash, STATE_GROUPS, type StateGroup, type TransactionsRoute } from '../../pages/route.ts'

const GROUP_NAMES: Readonly<Record<StateGroup, string>> = {
  all: 'All',
  queued: 'Queued',
  approval: 'To approve',
  flight: 'In flight',
  stuck: 'Stuck',
  confirmed: 'Confirmed',
  failed: 'Failed',
  dropped: 'Dropped',
}

const GROUPS = Object.keys(STATE_GROUPS) as readonly StateGroup[]

interface TransactionFilterProps {
  readonly route: TransactionsRoute
  readonly lanes: readonly LaneResource[]
}

export function TransactionFilter({ route, lanes }: TransactionFilterProps) {
  const signers = new Map(lanes.map(({ address, label }) => [address.toLowerCase(), { address, label }]))
  const chosen = route.from?.toLowerCase() ?? ''
  return (
    <div class="filter">
      <nav class="segments" aria-label="Filter by state">
        {GROUPS.map((group) => (
          <a
            key={group}
            href={formHash({ ...route, group })}
            aria-current={group === route.group ? 'true' : undefined}
            title={STATE_GROUPS[group].join(', ')}
          >
            {GROUP_NAMES[group]}
          </a>
        ))}
      </nav>
      <select
        class="select"
        aria-label="Filter by signer"
        value={chosen}
        onChange={(event) => {
          const from = signers.get(event.currentTarget.value)?.address ?? null
          location.hash = formHash({ ...route, from })
        }}
      >
        <option value="">All signers</option>
        {/* An address that came with the link stays chosen even where it is no signer here. */}
        {route.from !== null && !signers.has(chosen) && <option value={chosen}>{shortenAddress(route.from)}</option>}
        {[...signers].map(([key, { address, label }]) => (
          <option key={key} value={key}>
            {label === null ? shortenAddress(address) : `${label} ${shortenAddress(address)}`}
          </option>
        ))}
      </select>
      <FindField key={route.find} route={route} />
      <select
        class="select"
        aria-label="Order"
        value={route.order ?? 'desc'}
        onChange={(event) => {
          const { order: _, ...rest } = route
          const order = event.currentTarget.value === 'asc' ? ({ order: 'asc' } as const) : {}
          location.hash = formHash({ ...rest, ...order })
        }}
      >
        <option value="desc">Newest first</option>
        <option value="asc">Oldest first</option>
      </select>
    </div>
  )
}

function FindField({ route }: { readonly route: TransactionsRoute }) {
  const [text, setText] = useState(route.find ?? '')

  function apply(event: Event): void {
    event.preventDefault()
    const { find: _, ...rest } = route
    const find = text.trim()
    location.hash = formHash({ ...rest, ...(find !== '' && { find }) })
  }

  return (
    <form onSubmit={apply}>
      <input
        class="input"
        type="search"
        aria-label="Filter by receiver, nonce, request id or metadata"
        title="Address of the receiver, a nonce, start of a request id, or key=value in the metadata"
        placeholder="To, nonce, request id, key=value"
        value={text}
        maxLength={200}
        size={30}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </form>
  )
}
