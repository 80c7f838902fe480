/** A secret that the service shows once. */
import { Copyable } from './copyable.tsx'

interface SecretBoxProps {
  readonly what: string
  readonly secret: string
  onDone(): void
}

export function SecretBox({ what, secret, onDone }: SecretBoxProps) {
  return (
    <div class="secret-box" role="status">
      <p>
        <strong>Store the {what} now.</strong> It is shown only this once.
      </p>
      <p class="secret-text">
        <Copyable text={secret} shown={secret} what={what} />
      </p>
      <button type="button" class="button is-small" onClick={onDone}>
        I have stored it
      </button>
    </div>
  )
}
