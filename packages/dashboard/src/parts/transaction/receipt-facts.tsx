/** What the chain says about a transaction. */
import type { TransactionResource } from '../../api/api-resources.ts'
import { formatCount, groupDigits } from '../../format/format-amount.ts'
import { shortenHash } from '../../format/shorten.ts'
import { Copyable } from '../copyable.tsx'
import { Fact, Facts } from '../facts.tsx'
import { ExactAmount, GasPrice } from '../figures.tsx'
import { LogPanel } from './log-panel.tsx'

interface ReceiptFactsProps {
  readonly tx: TransactionResource
  readonly receipt: NonNullable<TransactionResource['receipt']>
}

export function ReceiptFacts({ tx, receipt }: ReceiptFactsProps) {
  return (
    <section class="panel" aria-labelledby="receipt-title">
      <div class="panel-head">
        <h2 id="receipt-title">Receipt</h2>
        <span class={`tag ${receipt.status === 'success' ? 'is-good' : 'is-bad'}`}>{receipt.status}</span>
      </div>
      <Facts>
        <Fact name="Block">
          {formatCount(receipt.blockNumber)} <span class="muted">at index {receipt.transactionIndex}</span>
        </Fact>
        <Fact name="Block hash">
          <Copyable text={receipt.blockHash} shown={shortenHash(receipt.blockHash)} what="block hash" />
        </Fact>
        <Fact name="Gas used">
          {groupDigits(receipt.gasUsed)}
          {tx.gasLimit !== null && <span class="muted"> of {groupDigits(tx.gasLimit)}</span>}
        </Fact>
        <Fact name="Gas price">
          <GasPrice wei={receipt.effectiveGasPrice} />
        </Fact>
        <Fact name="Fee paid">
          <ExactAmount wei={receipt.fee} chainId={tx.chainId} />
        </Fact>
        {receipt.contractAddress !== null && (
          <Fact name="New contract">
            <Copyable text={receipt.contractAddress} shown={receipt.contractAddress} what="contract address" />
          </Fact>
        )}
      </Facts>
      <LogPanel txId={tx.id} />
    </section>
  )
}
