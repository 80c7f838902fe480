/** The audit log, newest first. The filter looks through the entries that are loaded; more are loaded on request. */
import { useContext, useState } from 'preact/hooks'
import type { AuditPage } from '../../api/admin-calls.ts'
import type { AuditResource } from '../../api/api-resources.ts'
import { formatCount } from '../../format/format-amount.ts'
import { Service } from '../../live/service.ts'
import { useAct } from '../../live/use-act.ts'
import { useResource } from '../../live/use-resource.ts'
import { Clock } from '../figures.tsx'
import { Empty, Loaded } from '../placeholders.tsx'

const MAX_KEPT = 1_000

export function AuditPanel() {
  const { api } = useContext(Service)
  const { isBusy, problem, act } = useAct()
  const [text, setText] = useState('')
  const [older, setOlder] = useState<AuditPage | null>(null)
  const newest = useResource('audit', () => api.listAudit(null))

  return (
    <section class="panel" aria-labelledby="audit-title">
      <div class="panel-head">
        <h2 id="audit-title">Audit log</h2>
        <input
          class="input panel-field"
          type="search"
          aria-label="Filter the loaded entries by who, what or result"
          placeholder="Who, what or result"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <Loaded resource={newest}>
        {(page) => {
          const entries = joinEntries(page, older)
          const next = older === null ? page.next : older.next
          const shown = entries.filter((entry) => matches(entry, text))
          return (
            <>
              {shown.length === 0 ? (
                <Empty title={entries.length === 0 ? 'Nothing was changed yet' : 'No loaded entry matches'} />
              ) : (
                <AuditTable entries={shown} />
              )}
              {entries.length > 0 && (
                <div class="pager">
                  <span class="muted">
                    {formatCount(shown.length)} of {formatCount(entries.length)} loaded
                  </span>
                  {problem !== null && <span class="outcome is-bad">{problem}</span>}
                  {next !== null && entries.length < MAX_KEPT && (
                    <button
                      type="button"
                      class="link-button"
                      disabled={isBusy}
                      onClick={async () => {
                        const more = await act(() => api.listAudit(next))
                        if (more !== null)
                          setOlder({ items: [...(older?.items ?? []), ...more.items], next: more.next })
                      }}
                    >
                      Load older entries
                    </button>
                  )}
                </div>
              )}
            </>
          )
        }}
      </Loaded>
    </section>
  )
}

/** New entries push others off the newest page, so both are joined by id. */
function joinEntries(newest: AuditPage, older: AuditPage | null): readonly AuditResource[] {
  const known = new Map([...newest.items, ...(older?.items ?? [])].map((entry) => [entry.id, entry]))
  return [...known.values()].sort((a, b) => b.id - a.id)
}

/** "updateSigner" as "Update signer". */
function nameOperation(operation: string): string {
  const words = operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\bapi\b/, 'API')
}

function matches({ actor, operation, target, result }: AuditResource, text: string): boolean {
  const sought = text.trim().toLowerCase()
  return `${actor} ${operation} ${nameOperation(operation)} ${target} ${result}`.toLowerCase().includes(sought)
}

function AuditTable({ entries }: { readonly entries: readonly AuditResource[] }) {
  return (
    <table class="table audit-table">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">Result</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <th scope="row" data-label="When">
              <Clock at={entry.at} />
            </th>
            <td data-label="Who">{entry.actor}</td>
            <td data-label="What">
              <span title={entry.operation}>{nameOperation(entry.operation)}</span>
              <span class="cell-note audit-target muted mono">{entry.target}</span>
            </td>
            <td data-label="Result">
              <span class={`tag ${entry.result === 'done' ? 'is-good' : 'is-warn'}`}>{entry.result}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
