/** A lane in full: its nonces, its load, its key, and which node advances it. */
import type { LaneResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { nameChain } from '../../words/chain-names.ts'
import { describeDrift } from '../../words/drift.ts'
import { nameWindowReason } from '../../words/window-words.ts'
import { Fact, Facts } from '../facts.tsx'
import { LaneKey } from './lane-key.tsx'
import { LaneOwner } from './signer-table.tsx'

export function LaneFacts({ lane }: { readonly lane: LaneResource }) {
  const titleId = `lane-${lane.chainId}`
  return (
    <section class="panel" aria-labelledby={titleId}>
      <div class="panel-head">
        <h2 id={titleId}>{nameChain(lane.chainId)}</h2>
        {lane.paused && <span class="tag is-warn">paused</span>}
        {lane.sendsPrivately && <span class="tag">sends privately</span>}
      </div>
      <Facts>
        <Fact name="Next nonce">{lane.nextNonce === null ? <span class="muted">none yet</span> : lane.nextNonce}</Fact>
        {lane.chain !== null && (
          <Fact name="On chain">
            {formatCount(lane.chain.latest)}{' '}
            <span class="muted">mined, {formatCount(lane.chain.pending)} with pending</span>
            {lane.chain.drift !== 0 && <span class="is-alarming"> {describeDrift(lane.chain.drift)}</span>}
          </Fact>
        )}
        <Fact name="Queued">{formatCount(lane.queued)}</Fact>
        <Fact name="In flight">
          {formatCount(lane.inFlight)}
          {lane.window !== null && (
            <span class="muted">
              {' '}
              window {formatCount(lane.window.size)}, {nameWindowReason(lane.window.reason)}
            </span>
          )}
        </Fact>
        <Fact name="Stuck">
          <span class={lane.stuck > 0 ? 'is-alarming' : ''}>{formatCount(lane.stuck)}</span>
        </Fact>
        <Fact name="Key">
          <LaneKey lane={lane} />
        </Fact>
        <Fact name="Owner node">
          <LaneOwner lane={lane} />
          {lane.lease !== null && <span class="muted"> fence {formatCount(lane.lease.fence)}</span>}
        </Fact>
      </Facts>
    </section>
  )
}
