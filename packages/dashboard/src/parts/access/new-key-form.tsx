/** Creates an API key and shows it, once. */
import { useContext, useState } from 'preact/hooks'
import type { ApiKeyResource } from '../../api/api-resources.ts'
import { Service } from '../../live/service.ts'
import { useAct } from '../../live/use-act.ts'
import { FormActions } from '../form-actions.tsx'
import { FormField, TextInput } from '../form-field.tsx'
import { SecretBox } from '../secret-box.tsx'

/** The compiler asks for each scope that the service has. */
const SCOPES: Readonly<Record<ApiKeyResource['scopes'][number], string>> = {
  read: 'see everything',
  send: 'send transactions, create timers',
  operate: 'act on transactions and signers',
  approve: 'approve or reject large transactions',
  admin: 'keys, webhooks, spending rules and the audit log',
  priority: 'jump the queue',
}

const DAY_MS = 86_400_000

export function NewKeyForm({ onDone }: { onDone(): void }) {
  const { api } = useContext(Service)
  const { isBusy, problem, act } = useAct()
  const [name, setName] = useState('')
  const [scopes, setScopes] = useState<readonly string[]>(['read'])
  const [days, setDays] = useState('')
  const [token, setToken] = useState<string | null>(null)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    const made = await act(() => api.createApiKey({ name, scopes, signers: null, expiresAt }))
    if (made !== null) setToken(made.token)
  }

  if (token !== null) return <SecretBox what="API key" secret={token} onDone={onDone} />
  return (
    <form class="panel form-panel" onSubmit={submit} noValidate aria-label="New key">
      <FormField id="key-name" label="Name: who uses it, or what for" problem={problem}>
        {(control) => <TextInput control={control} value={name} onType={setName} isProse />}
      </FormField>
      <fieldset class="checks">
        <legend>Scopes</legend>
        {Object.entries(SCOPES).map(([scope, about]) => (
          <label class="check" key={scope}>
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) =>
                setScopes(event.currentTarget.checked ? [...scopes, scope] : scopes.filter((other) => other !== scope))
              }
            />
            <strong>{scope}</strong> <span class="muted">{about}</span>
          </label>
        ))}
      </fieldset>
      <FormField id="key-days" label="Expires" problem={null}>
        {(control) => (
          <select class="select" {...control} value={days} onChange={(event) => setDays(event.currentTarget.value)}>
            <option value="">never</option>
            <option value="1">in a day</option>
            <option value="30">in 30 days</option>
            <option value="365">in a year</option>
          </select>
        )}
      </FormField>
      <FormActions
        submit="Create key"
        canSubmit={!isBusy && name.trim() !== '' && scopes.length > 0}
        onClose={onDone}
      />
    </form>
  )
}
