/** The policy of a lane in words, and the form that changes it. */
import { useState } from 'preact/hooks'
import type { LaneResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { formatSpan } from '../../format/format-time.ts'
import { useWhyNot } from '../../live/rights.ts'
import { NotAllowed } from '../allowed.tsx'
import { Fact, Facts } from '../facts.tsx'
import { Amount, GasPrice } from '../figures.tsx'
import { Opened } from '../opened.tsx'
import { PolicyForm } from './policy-form.tsx'

export function PolicyPanel({ lane }: { readonly lane: LaneResource }) {
  const [isOpen, setOpen] = useState(false)
  const why = useWhyNot('admin')
  const close = () => setOpen(false)
  const titleId = `policy-${lane.chainId}`
  return (
    <section class="panel" aria-labelledby={titleId}>
      <div class="panel-head">
        <h2 id={titleId}>Policy</h2>
        <span class="tag">{lane.policy.preset}</span>
        {why === null && (
          <button
            type="button"
            class="button is-small panel-more"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            Change the policy
          </button>
        )}
      </div>
      {isOpen && why === null ? (
        <Opened onClose={close}>
          <PolicyForm lane={lane} onDone={close} />
        </Opened>
      ) : (
        <PolicyFacts policy={lane.policy} chainId={lane.chainId} />
      )}
      {why !== null && <NotAllowed text={`Changing the policy ${why}`} />}
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
        {policy.onForeignNonce === 'stuck'
          ? 'stuck, an operator decides'
          : 'back to the queue, unless it may be done already'}
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
