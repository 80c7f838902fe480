/** Acts on all picked transactions: shows first what would happen to each, asks for a reason, then shows the results. */
import { useContext, useEffect, useState } from 'preact/hooks'
import type { OperatorAction } from '../../../api/api-client.ts'
import { ApiProblem, ServiceAway } from '../../../api/api-failure.ts'
import { formatCount } from '../../../format/format-amount.ts'
import { shortenId } from '../../../format/shorten.ts'
import { useOffered } from '../../../live/rights.ts'
import { Service } from '../../../live/service.ts'
import { STATE_NAMES } from '../../../words/state-words.ts'
import { Refused } from '../../allowed.tsx'
import { announce } from '../../announcer.tsx'
import { FormField, TextInput } from '../../form-field.tsx'
import { Opened } from '../../opened.tsx'
import { ACTION_NAMES, scopeOf } from '../operator-actions.tsx'
import { actOnAll, type BulkResult, explainAll, offerActions, type Prospect, previewAction } from './bulk-plan.ts'
import { MAX_SELECTED, type Selection } from './use-selection.ts'

export function BulkBar({ selection }: { readonly selection: Selection }) {
  const { prospects, problem } = useProspects(selection)
  const [action, setAction] = useState<OperatorAction | null>(null)
  const { offered: offers, refused } = useOffered(offerActions(prospects ?? []), (each) => scopeOf(each.action))
  const count = selection.items.length
  if (count === 0) return null
  return (
    <section class="bulk panel" aria-label="Selected transactions">
      <div class="bulk-head">
        <strong>{formatCount(count)} selected</strong>
        {count === MAX_SELECTED && <span class="muted">the most at a time</span>}
        {problem !== null && <span class="outcome is-bad">{problem}</span>}
        {prospects === null && problem === null && <span class="muted">Checking what can be done…</span>}
        {prospects !== null && offers.length === 0 && refused === null && (
          <span class="muted">Nothing can be done to these now.</span>
        )}
        <div class="bulk-actions">
          {offers.map((offered) => (
            <button
              type="button"
              class="button"
              key={offered.action}
              aria-expanded={offered.action === action}
              onClick={() => setAction(offered.action === action ? null : offered.action)}
            >
              {ACTION_NAMES[offered.action]} <span class="muted">{formatCount(offered.count)}</span>
            </button>
          ))}
        </div>
        <button type="button" class="button is-quiet" onClick={selection.clear}>
          Clear
        </button>
      </div>
      <Refused what="Acting on them" why={refused} isSomeOffered={offers.length > 0} />
      {action !== null && prospects !== null && (
        <Opened key={action} onClose={() => setAction(null)}>
          <BulkForm action={action} prospects={prospects} />
        </Opened>
      )}
    </section>
  )
}

/** Asked once for each picked set, not at every beat. */
function useProspects(selection: Selection) {
  const { api } = useContext(Service)
  const [prospects, setProspects] = useState<readonly Prospect[] | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const ids = selection.items.map(({ id }) => id).join(' ')
  useEffect(() => {
    let isOld = false
    setProspects(null)
    setProblem(null)
    explainAll(api, selection.items)
      .then((answer) => isOld || setProspects(answer))
      .catch((error: unknown) => {
        if (!(error instanceof ServiceAway || error instanceof ApiProblem)) throw error
        if (!isOld) setProblem(error.message)
      })
    return () => {
      isOld = true
    }
  }, [api, ids])
  return { prospects, problem }
}

interface BulkFormProps {
  readonly action: OperatorAction
  readonly prospects: readonly Prospect[]
}

function BulkForm({ action, prospects }: BulkFormProps) {
  const { api, pulse } = useContext(Service)
  const [reason, setReason] = useState('')
  const [results, setResults] = useState<readonly BulkResult[] | null>(null)
  const [isBusy, setBusy] = useState(false)
  const preview = previewAction(prospects, action)
  const possible = preview.filter(({ effect }) => effect !== null)
  const name = ACTION_NAMES[action]

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (isBusy || reason.trim() === '') return
    setBusy(true)
    const targets = possible.map(({ tx }) => tx)
    const done = await actOnAll(api, targets, action, reason)
    setBusy(false)
    setResults(done)
    pulse.beatSoon()
    announce(summarize(done))
  }

  return (
    <form class="bulk-form" onSubmit={submit} noValidate>
      <table class="table bulk-preview">
        <caption class="sr-only">What would happen</caption>
        <tbody>
          {preview.map(({ tx, effect }) => (
            <tr key={tx.id} class={effect === null ? 'is-left' : ''}>
              <th scope="row">
                {tx.nonce === null ? shortenId(tx.id) : `Nonce ${tx.nonce}`}{' '}
                <span class="muted">{STATE_NAMES[tx.state].toLowerCase()}</span>
              </th>
              <td>{resultText(results, tx.id) ?? effect ?? 'Left alone: not possible now'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {results === null ? (
        <div class="bulk-confirm">
          <FormField id="bulk-reason" label="Reason (stored in the history of each)" problem={null}>
            {(control) => <TextInput control={control} value={reason} onType={setReason} isProse />}
          </FormField>
          <button type="submit" class="button is-primary" disabled={isBusy || reason.trim() === ''}>
            {isBusy ? 'Working…' : `${name} ${formatCount(possible.length)}`}
          </button>
        </div>
      ) : (
        <p class="outcome" role="status">
          {summarize(results)}
        </p>
      )}
    </form>
  )
}

function resultText(results: readonly BulkResult[] | null, id: string): string | null {
  const result = results?.find((each) => each.id === id)
  if (result === undefined) return null
  return result.problem ?? 'Done'
}

function summarize(results: readonly BulkResult[]): string {
  const failed = results.filter(({ problem }) => problem !== null).length
  const done = `${formatCount(results.length - failed)} done`
  return failed === 0 ? `${done}.` : `${done}, ${formatCount(failed)} refused or unknown.`
}
