/** A button for what cannot be undone: it says what will happen, and asks once more. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
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
  const focused = useFocusOnChange(isAsked)
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
      <button key="ask" ref={focused} type="button" class="button is-small" onClick={() => setAsked(true)}>
        {name}
      </button>
    )
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape says no, like the button Keep
    <span
      class="confirm"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        setAsked(false)
      }}
    >
      <span role={problem === null ? undefined : 'alert'}>{problem ?? effect}</span>
      <button type="button" class="button is-small is-danger" disabled={isBusy} onClick={confirm}>
        {name}
      </button>
      {/* It has the focus, so that pressing Enter twice by mistake changes nothing. */}
      <button key="keep" ref={focused} type="button" class="button is-small is-quiet" onClick={() => setAsked(false)}>
        Keep
      </button>
    </span>
  )
}

/** The question takes the place of the button, and the button that of the question: the focus goes along. */
function useFocusOnChange(isAsked: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const isFirst = useRef(true)
  useLayoutEffect(() => {
    if (!isFirst.current) button.current?.focus()
    isFirst.current = false
  }, [isAsked])
  return button
}
