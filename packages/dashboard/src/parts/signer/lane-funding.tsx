/** What a signer has, how long that is enough, and where to send more. */
import { useState } from 'preact/hooks'
import type { LaneResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { Fact, Facts } from '../facts.tsx'
import { Ago, Amount } from '../figures.tsx'
import { Opened } from '../opened.tsx'
import { TopUp } from './top-up.tsx'

export function LaneFunding({ lane }: { readonly lane: LaneResource }) {
  const [isShown, setShown] = useState(false)
  const { balance, address, chainId } = lane
  const titleId = `funding-${chainId}`
  return (
    <section class="panel" aria-labelledby={titleId}>
      <div class="panel-head">
        <h2 id={titleId}>Funds</h2>
        {balance?.isLow === true && <span class="tag is-bad">low</span>}
        <button
          type="button"
          class="button is-small panel-more"
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          Top up
        </button>
      </div>
      {balance === null ? (
        <p class="panel-note muted">The balance has not been read yet.</p>
      ) : (
        <Facts>
          <Fact name="Balance">
            <Amount wei={balance.wei} chainId={chainId} />{' '}
            <span class="muted">
              read <Ago at={balance.at} />
            </span>
          </Fact>
          {balance.txCost !== null && (
            <Fact name="One transaction">
              <Amount wei={balance.txCost} chainId={chainId} />
            </Fact>
          )}
          {balance.runway !== null && <Fact name="Enough for">{formatCount(balance.runway)} transactions</Fact>}
        </Facts>
      )}
      {isShown && (
        <Opened onClose={() => setShown(false)}>
          <TopUp address={address} chainId={chainId} />
        </Opened>
      )}
    </section>
  )
}
