/** A button for what cannot be undone: it says what will happen, and asks once more. */
import { useState } from 'preact/hooks'
import { useAct } from '../live/use-act.ts'
import { announce } from './announcer.tsx'

interface ConfirmButtonProps {
  readonly name: string
  /** What happens, as a sentence. */
  readonly effect: string
  run(): Promise<unknown>
}

export function ConfirmButton({ name, effect, run }: ConfirmButtonProps) {
  const [isAsked, setAsked] = useState(false)
  const { isBusy, problem, act } = useAct()

  async function confirm(): Promise<void> {
    const answer = await act(async () => {
      await run()
      return true
    })
    if (answer === null) return
    announce(`${name}: done`)
    setAsked(false)
  }

  if (!isAsked) {
    return (
      <button type="button" class="button is-small" onClick={() => setAsked(true)}>
        {name}
      </button>
    )
  }
  return (
    <span class="confirm">
      <span>{problem ?? effect}</span>
      <button type="button" class="button is-small is-danger" disabled={isBusy} onClick={confirm}>
        {name}
      </button>
      <button type="button" class="button is-small is-quiet" onClick={() => setAsked(false)}>
        Keep
      </button>
    </span>
  )
}
