/** What was asked for, and the names under which it can be found. */
import type { TransactionResource } from '../../api/api-resources.ts'
import { formatCount, groupDigits } from '../../format/format-amount.ts'
import { shortenHash } from '../../format/shorten.ts'
import { formHash } from '../../pages/route.ts'
import { nameChain } from '../../words/chain-names.ts'
import { decodeCall } from '../../words/known-calls.ts'
import { Copyable } from '../copyable.tsx'
import { Fact, Facts } from '../facts.tsx'
import { Clock, ExactAmount, GasPrice } from '../figures.tsx'

export function IntentFacts({ tx }: { readonly tx: TransactionResource }) {
  const metadata = Object.entries(tx.metadata)
  return (
    <section class="panel" aria-labelledby="intent-title">
      <div class="panel-head">
        <h2 id="intent-title">Transaction</h2>
      </div>
      <Facts>
        <Fact name="Id">
          <Copyable text={tx.id} shown={tx.id} what="id" />
        </Fact>
        {tx.hash !== null && (
          <Fact name="Hash">
            <Copyable text={tx.hash} shown={shortenHash(tx.hash)} what="hash" />
          </Fact>
        )}
        <Fact name="Chain">
          {nameChain(tx.chainId)} <span class="muted">id {tx.chainId}</span>
        </Fact>
        <Fact name="From">
          <Copyable
            text={tx.from}
            shown={tx.from}
            what="sender"
            href={formHash({ page: 'signer', address: tx.from, after: null })}
          />
        </Fact>
        <Fact name="To">
          {tx.to === null ? 'a new contract' : <Copyable text={tx.to} shown={tx.to} what="receiver" />}
        </Fact>
        <Fact name="Value">
          <ExactAmount wei={tx.value} chainId={tx.chainId} />
        </Fact>
        {tx.to !== null && <CalledFunction data={tx.data} />}
        {tx.data !== '0x' && (
          <Fact name="Data">
            <CallData data={tx.data} />
          </Fact>
        )}
        {tx.accessList !== null && tx.accessList !== undefined && (
          <Fact name="Access list">{countEntries(tx.accessList)}</Fact>
        )}
        <Fact name="Nonce">{tx.nonce === null ? <span class="muted">none yet</span> : tx.nonce}</Fact>
        <Fact name="Gas limit">
          {tx.gasLimit === null ? <span class="muted">not estimated yet</span> : groupDigits(tx.gasLimit)}
        </Fact>
        <Fact name="Price">
          <WantedPrice tx={tx} />
        </Fact>
        {tx.priority !== 0 && <Fact name="Priority">{tx.priority}</Fact>}
        {tx.requestId !== null && (
          <Fact name="Request id">
            <Copyable text={tx.requestId} shown={tx.requestId} what="request id" />
          </Fact>
        )}
        {metadata.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        <Fact name="Accepted">
          <Clock at={tx.createdAt} />
        </Fact>
        {tx.validUntil !== null && (
          <Fact name="Valid until">
            <Clock at={tx.validUntil} />
          </Fact>
        )}
        {tx.notBefore !== null && (
          <Fact name="Not before">
            {'height' in tx.notBefore ? `block ${tx.notBefore.height}` : <Clock at={tx.notBefore.time} />}
          </Fact>
        )}
        {tx.suspended && (
          <Fact name="Suspended">
            <span class="is-alarming">by an operator</span>
          </Fact>
        )}
        {tx.stuckAt !== null && (
          <Fact name="Stuck since">
            <Clock at={tx.stuckAt} />
          </Fact>
        )}
        {tx.lastSubmitAt !== null && (
          <Fact name="Last sent">
            <Clock at={tx.lastSubmitAt} />{' '}
            <span class="muted">{tx.submitCount === 1 ? 'once' : `${formatCount(tx.submitCount)} times`}</span>
          </Fact>
        )}
        {tx.nextResubmitAt !== null && (
          <Fact name="Next send">
            <Clock at={tx.nextResubmitAt} />
          </Fact>
        )}
        {tx.node !== null && (
          <Fact name="Nonce assigned by">
            <span class="mono">{tx.node}</span> <span class="muted">under fence {tx.fence}</span>
          </Fact>
        )}
      </Facts>
    </section>
  )
}

/** What was asked for; the market decides what was not. */
function WantedPrice({ tx: { fees, speed } }: { readonly tx: TransactionResource }) {
  const market = <span class="muted">market, {speed}</span>
  if (fees === null) return market
  if ('gasPrice' in fees) return fees.gasPrice === null ? market : <GasPrice wei={fees.gasPrice} />
  const { maxFeePerGas, maxPriorityFeePerGas } = fees
  return (
    <>
      at most {maxFeePerGas === null ? market : <GasPrice wei={maxFeePerGas} />}, tip{' '}
      {maxPriorityFeePerGas === null ? market : <GasPrice wei={maxPriorityFeePerGas} />}
    </>
  )
}

/** The function and its arguments, where the selector is known. */
function CalledFunction({ data }: { readonly data: string }) {
  const call = decodeCall(data)
  if (call === null) return null
  return (
    <Fact name="Call">
      <code>{call.name}</code>
      <ul class="call-args">
        {call.args.map(({ name, type, value }) => (
          <li key={name}>
            <span class="muted">
              {name} {type}
            </span>{' '}
            {type === 'address' ? <Copyable text={value} shown={value} what={name} /> : value}
          </li>
        ))}
      </ul>
    </Fact>
  )
}

const SHOWN_DATA = 74

function CallData({ data }: { readonly data: string }) {
  const bytes = (data.length - 2) / 2
  const shown = data.length <= SHOWN_DATA ? data : `${data.slice(0, SHOWN_DATA)}…`
  return (
    <>
      <Copyable text={data} shown={shown} what="data" />{' '}
      <span class="muted">
        {formatCount(bytes)} {bytes === 1 ? 'byte' : 'bytes'}
      </span>
    </>
  )
}

/** It may be long; the API has it whole. */
function countEntries(list: NonNullable<TransactionResource['accessList']>): string {
  const keys = list.reduce((count, { storageKeys }) => count + storageKeys.length, 0)
  const addresses = list.length === 1 ? '1 address' : `${list.length} addresses`
  return `${addresses}, ${keys === 1 ? '1 storage key' : `${keys} storage keys`}`
}
