/** Creates a webhook and shows its secret, once. */
import { useContext, useState } from 'preact/hooks'
import { Service } from '../../live/service.ts'
import { useAct } from '../../live/use-act.ts'
import { FormActions } from '../form-actions.tsx'
import { FormField, TextInput } from '../form-field.tsx'
import { SecretBox } from '../secret-box.tsx'

export function NewWebhook({ onDone }: { onDone(): void }) {
  const { api } = useContext(Service)
  const { isBusy, problem, act } = useAct()
  const [url, setUrl] = useState('https://')
  const [description, setDescription] = useState('')
  const [completions, setCompletions] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    const text = description.trim()
    const made = await act(() => api.createWebhook({ url, description: text === '' ? null : text, completions }))
    if (made !== null) setSecret(made.secret)
  }

  if (secret !== null) return <SecretBox what="signing secret" secret={secret} onDone={onDone} />
  return (
    <form class="panel form-panel" onSubmit={submit} noValidate aria-label="New webhook">
      <FormField id="webhook-url" label="URL, https" problem={problem}>
        {(control) => <TextInput control={control} value={url} onType={setUrl} />}
      </FormField>
      <FormField id="webhook-description" label="What it is for (optional)" problem={null}>
        {(control) => <TextInput control={control} value={description} onType={setDescription} isProse />}
      </FormField>
      <label class="check">
        <input
          type="checkbox"
          checked={completions}
          onChange={(event) => setCompletions(event.currentTarget.checked)}
        />
        Only final results, one event for each transaction
      </label>
      <FormActions submit="Create" canSubmit={!isBusy} onClose={onDone} />
    </form>
  )
}
