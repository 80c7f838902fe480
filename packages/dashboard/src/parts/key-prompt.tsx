/** Asks for the API key that the service wants. */
import { useContext, useEffect, useState } from 'preact/hooks'
import type { KeyStatus } from '../api/key-holder.ts'
import { Service } from '../live/service.ts'
import { FormField } from './form-field.tsx'

export function useKeyStatus(): KeyStatus {
  const { keys } = useContext(Service)
  const [status, setStatus] = useState(keys.status())
  useEffect(() => {
    setStatus(keys.status())
    return keys.onStatus(setStatus)
  }, [keys])
  return status
}

export function KeyPrompt({ reason }: { readonly reason: string | null }) {
  const { keys, pulse } = useContext(Service)
  const [text, setText] = useState('')
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() === '') return
    keys.give(text)
    pulse.beatSoon()
  }
  return (
    <form class="panel key-prompt" onSubmit={submit}>
      <h1>This service needs an API key</h1>
      <p class="muted">
        A key with the scope <code>read</code> shows everything here. To send and to act you need <code>send</code> and{' '}
        <code>operate</code>. The key is stored only in this tab.
      </p>
      <FormField id="api-key" label="API key" problem={reason}>
        {(control) => (
          <input
            class="input mono"
            type="password"
            {...control}
            value={text}
            autocomplete="off"
            spellcheck={false}
            placeholder="drv_…"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </FormField>
      <button type="submit" class="button is-primary" disabled={text.trim() === ''}>
        Use this key
      </button>
    </form>
  )
}
