/** Says to screen readers what sighted people see happen at a button. */
import { useEffect, useState } from 'preact/hooks'

let show: (text: string) => void = () => {}

export function announce(text: string): void {
  show(text)
}

export function Announcer() {
  const [text, setText] = useState('')
  useEffect(() => {
    show = setText
    return () => {
      show = () => {}
    }
  }, [])
  return (
    <div class="sr-only" role="status">
      {text}
    </div>
  )
}
