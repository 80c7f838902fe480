/** Says to screen readers what sighted people see happen at a button. */
import { useEffect, useState } from 'preact/hooks'

let tell: (text: string) => void = () => {}

export function announce(text: string): void {
  tell(text)
}

export function Announcer() {
  const [text, setText] = useState('')
  useEffect(() => {
    tell = setText
    return () => {
      tell = () => {}
    }
  }, [])
  return (
    <div class="sr-only" role="status">
      {text}
    </div>
  )
}
