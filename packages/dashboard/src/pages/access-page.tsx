/** Who may call the API, and who changed what. */
import { useContext, useState } from 'preact/hooks'
import { Service } from '../live/service.ts'
import { useResource } from '../live/use-resource.ts'
import { AuditPanel } from '../parts/access/audit-panel.tsx'
import { KeyTable } from '../parts/access/key-table.tsx'
import { NewKeyForm } from '../parts/access/new-key-form.tsx'
import { AllowedPage } from '../parts/allowed.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { Opened } from '../parts/opened.tsx'
import { Empty, Loaded } from '../parts/placeholders.tsx'
import { useTitle } from './use-route.ts'

const FIRST_KEY = 'drover key create --name ops --scope read,send,operate,admin'

export function AccessPage() {
  useTitle('Access')
  return (
    <AllowedPage title="Access" scope="admin" what="Seeing and changing API keys and the audit log">
      <KeyPanel />
      <AuditPanel />
    </AllowedPage>
  )
}

function KeyPanel() {
  const { api } = useContext(Service)
  const keys = useResource('api keys', () => api.listApiKeys())
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <div class="page-head">
        <h1>Access</h1>
        {keys.type === 'ready' && keys.value.items.length > 0 && (
          <button
            type="button"
            class="button is-primary page-action"
            aria-expanded={isAdding}
            onClick={() => setAdding(!isAdding)}
          >
            New key
          </button>
        )}
      </div>
      {isAdding && (
        <Opened onClose={() => setAdding(false)}>
          <NewKeyForm onDone={() => setAdding(false)} />
        </Opened>
      )}
      <section class="panel" aria-labelledby="keys-title">
        <div class="panel-head">
          <h2 id="keys-title">API keys</h2>
        </div>
        <Loaded resource={keys}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty title="No API keys">
                Without keys, only this machine can call Drover. Create the first key on the command line:
                <span class="empty-command">
                  <Copyable text={FIRST_KEY} shown={FIRST_KEY} what="command" />
                </span>
                From then on every request needs a key, and you create further keys here.
              </Empty>
            ) : (
              <KeyTable items={items} />
            )
          }
        </Loaded>
      </section>
    </>
  )
}
