/** A lane in full: its state, which node advances it, and its policy in words. */
import type { LaneResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { formatSpan } from '../../format/format-time.ts'
import { nameChain } from '../../words/chain-names.ts'
import { describeDrift } from '../../words/drift.ts'
import { nameWindowReason } from '../../words/window-words.ts'
import { Fact, Facts } from '../facts.tsx'
import { Amount, GasPrice } from '../figures.tsx'
import { LaneKey } from './lane-key.tsx'
import { LaneBalance, LaneOwner } from './signer-table.tsx'

export function LaneFacts({ lane }: { readonly lane: LaneResource }) {
  const titleId = `lane-${lane.chainId}`
  return (
    <section class="panel" aria-labelledby={titleId}>
      <div class="panel-head">
        <h2 id={titleId}>{nameChain(lane.chainId)}</h2>
        <span class="tag">{lane.policy.preset}</span>
        {lane.paused && <span class="tag is-warn">paused</span>}
        {lane.sendsPrivately && <span class="tag">sends privately</span>}
      </div>
      <div class="lane-facts">
        <Facts>
          <Fact name="Next nonce">
            {lane.nextNonce === null ? <span class="muted">none yet</span> : lane.nextNonce}
          </Fact>
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
          <Fact name="Balance">
            <LaneBalance lane={lane} />
          </Fact>
          <Fact name="Key">
            <LaneKey lane={lane} />
          </Fact>
          <Fact name="Owner node">
            <LaneOwner lane={lane} />
            {lane.lease !== null && <span class="muted"> fence {formatCount(lane.lease.fence)}</span>}
          </Fact>
        </Facts>
        <PolicyFacts policy={lane.policy} chainId={lane.chainId} />
      </div>
    </section>
  )
}

const REPLACING: Readonly<Record<LaneResource['policy']['mayReplace'], string>> = {
  never: 'never',
  on_order: 'only on request',
  automatic: 'automatic, if the price is too low',
}

function PolicyFacts({ policy, chainId }: Pick<LaneResource, 'policy' | 'chainId'>) {
  const { finality } = policy
  return (
    <Facts>
      <Fact name="Not mined">
        resend every {formatSpan(policy.resubmitIntervalMs)}, stuck after {formatSpan(policy.stuckAfterMs)} or{' '}
        {formatCount(policy.maxSubmitAttempts)} refusals
      </Fact>
      <Fact name="Replacing">{REPLACING[policy.mayReplace]}</Fact>
      <Fact name="Nonce used elsewhere">
        {policy.onForeignNonce === 'stuck' ? 'stuck, an operator decides' : 'back to the queue'}
        <span class="muted">
          {policy.externalUse ? ', the key is also used elsewhere' : ', only Drover uses the key'}
        </span>
      </Fact>
      <Fact name="Gas limit">{formatCount(policy.gasLimitPercent)} % of the estimate</Fact>
      <Fact name="Max price per gas">
        {policy.maxFeePerGas === null ? <span class="muted">none</span> : <GasPrice wei={policy.maxFeePerGas} />}
      </Fact>
      <Fact name="Max fee per transaction">
        {policy.maxTxFee === null ? (
          <span class="muted">the chain's limit</span>
        ) : (
          <Amount wei={policy.maxTxFee} chainId={chainId} />
        )}
      </Fact>
      <Fact name="Low balance">
        {policy.lowBalance !== null && (
          <>
            below <Amount wei={policy.lowBalance} chainId={chainId} />
            {policy.lowRunway !== null && ', or '}
          </>
        )}
        {policy.lowRunway !== null && `below ${formatCount(policy.lowRunway)} transactions`}
        {policy.lowBalance === null && policy.lowRunway === null && <span class="muted">no warning</span>}
      </Fact>
      <Fact name="Final">
        {finality === null && <span class="muted">as set for the chain</span>}
        {typeof finality === 'number' && `after ${formatCount(finality)} confirmations`}
        {typeof finality === 'string' && `when ${finality}`}
      </Fact>
    </Facts>
  )
}
