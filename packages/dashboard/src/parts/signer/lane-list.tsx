/** Signers in a few words each, for the overview. */
import type { LaneResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { shortenAddress } from '../../format/shorten.ts'
import { formHash } from '../../pages/route.ts'
import { nameChain } from '../../words/chain-names.ts'
import { NoSigners } from './no-signers.tsx'
import { LaneBalance } from './signer-table.tsx'

export function LaneList({ lanes }: { readonly lanes: readonly LaneResource[] }) {
  if (lanes.length === 0) return <NoSigners />
  const hasManyChains = new Set(lanes.map(({ chainId }) => chainId)).size > 1
  return (
    <ul class="lane-list">
      {lanes.map((lane) => (
        <li key={`${lane.chainId}:${lane.address}`} class="lane-item">
          <a href={formHash({ page: 'signer', address: lane.address, after: null })}>
            {lane.label ?? <span class="mono">{shortenAddress(lane.address)}</span>}
          </a>
          <span class="lane-load">
            {hasManyChains && `${nameChain(lane.chainId)} · `}
            {describeLoad(lane)}
            {lane.stuck > 0 && <strong class="is-alarming"> {formatCount(lane.stuck)} stuck</strong>}
            {lane.paused && <span class="tag is-warn">paused</span>}
          </span>
          <span class="lane-balance">
            <LaneBalance lane={lane} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function describeLoad({ inFlight, queued, window }: LaneResource): string {
  if (inFlight === 0 && queued === 0) return 'idle'
  const room = window === null ? '' : ` of ${formatCount(window.size)}`
  return `${formatCount(inFlight)}${room} in flight, ${formatCount(queued)} queued`
}
