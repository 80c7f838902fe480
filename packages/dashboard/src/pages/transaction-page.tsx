/** One transaction: its stage, what was signed for it, and its history. */
import { useContext } from 'preact/hooks'
import type { ApiClient, HistoryPage } from '../api/api-client.ts'
import type { AttemptResource, ExplanationResource, TransactionResource } from '../api/api-resources.ts'
import { shortenAddress } from '../format/shorten.ts'
import { Service } from '../live/service.ts'
import { useResource } from '../live/use-resource.ts'
import { ErrorBox, RevertBox } from '../parts/error-box.tsx'
import { Loaded } from '../parts/placeholders.tsx'
import { AttemptList } from '../parts/transaction/attempt-list.tsx'
import { BlockPanel } from '../parts/transaction/block-panel.tsx'
import { Explanation } from '../parts/transaction/explanation.tsx'
import { HistoryList } from '../parts/transaction/history-list.tsx'
import { IntentFacts } from '../parts/transaction/intent-facts.tsx'
import { PlaceInLine } from '../parts/transaction/place-in-line.tsx'
import { ReceiptFacts } from '../parts/transaction/receipt-facts.tsx'
import { StageLine } from '../parts/transaction/stage-line.tsx'
import { StateChip } from '../parts/transaction/state-chip.tsx'
import { deriveStages } from '../words/stages.ts'
import { isTerminal, STATE_NAMES } from '../words/state-words.ts'
import { ALL_TRANSACTIONS, formHash } from './route.ts'
import { useTitle } from './use-route.ts'

interface WholeTransaction {
  readonly tx: TransactionResource
  readonly attempts: readonly AttemptResource[]
  readonly history: HistoryPage
  readonly explanation: ExplanationResource
}

export function TransactionPage({ txKey }: { readonly txKey: string }) {
  const { api } = useContext(Service)
  const whole = useResource(`transaction ${txKey}`, (previous: WholeTransaction | null) => load(api, txKey, previous))
  const tx = whole.type === 'ready' ? whole.value.tx : null
  useTitle(tx === null ? 'Transaction' : `${STATE_NAMES[tx.state]} · nonce ${tx.nonce ?? 'none'}`)
  return (
    <>
      <p class="back-link">
        <a href={formHash(ALL_TRANSACTIONS)}>← Transactions</a>
      </p>
      <Loaded resource={whole} rows={8}>
        {(value) => <Whole {...value} />}
      </Loaded>
    </>
  )
}

/** A final transaction never changes. Only its confirmations keep counting, and no one waits for those. */
async function load(api: ApiClient, key: string, previous: WholeTransaction | null): Promise<WholeTransaction> {
  if (previous !== null && isTerminal(previous.tx.state)) return previous
  // The transaction first: a history that is newer than its state only runs ahead of it, and is right a second later.
  const tx = await api.getTransaction(key)
  const [attempts, history, explanation] = await Promise.all([
    api.listAttempts(tx.id),
    api.readHistory(tx.id),
    api.explainTransaction(tx.id),
  ])
  return { tx, attempts: attempts.items, history, explanation }
}

function Whole({ tx, attempts, history, explanation }: WholeTransaction) {
  return (
    <>
      <div class="page-head">
        <h1>
          {tx.to === null ? 'Deployment' : tx.data === '0x' ? 'Transfer' : 'Contract call'}
          <span class="page-head-detail"> from {shortenAddress(tx.from)}</span>
        </h1>
        <StateChip state={tx.state} />
      </div>
      <section class="panel stage-panel" aria-label="Progress">
        <Explanation txId={tx.id} explanation={explanation} isFinal={isTerminal(tx.state)} />
        {isInLine(tx) && <PlaceInLine tx={tx} />}
        <StageLine stages={deriveStages(tx, history.entries)} />
        {tx.error !== null && (
          <ErrorBox error={tx.error} isFinal={isTerminal(tx.state)} revertReason={explanation.revertReason ?? null} />
        )}
        {tx.error === null && explanation.revertReason && <RevertBox reason={explanation.revertReason} />}
      </section>
      <div class="columns is-even">
        <div class="column-main">
          <IntentFacts tx={tx} />
          <BlockPanel tx={tx} history={history.entries} />
          {tx.receipt !== null && <ReceiptFacts tx={tx} receipt={tx.receipt} />}
          <AttemptList attempts={attempts} includedHash={tx.receipt?.transactionHash ?? null} />
        </div>
        <div class="column-side">
          <HistoryList key={tx.id} txId={tx.id} newest={history} />
        </div>
      </div>
    </>
  )
}

/** Others go before what has to be approved, or is held by a rule. */
function isInLine({ state, subState }: TransactionResource): boolean {
  return state === 'QUEUED' && subState !== 'awaiting_approval' && subState !== 'held_by_rule'
}
