/** Why a transaction did not continue, or is not continuing. */
import type { TransactionResource } from '../api/api-resources.ts'
import { AlertIcon } from './icons.tsx'

interface ErrorBoxProps {
  readonly error: NonNullable<TransactionResource['error']>
  readonly isFinal: boolean
}

export function ErrorBox({ error, isFinal }: ErrorBoxProps) {
  return (
    <div class={`error-box ${isFinal ? 'is-bad' : 'is-warn'}`}>
      <AlertIcon />
      <div>
        <p>
          <strong>{error.message.charAt(0).toUpperCase() + error.message.slice(1)}</strong> <code>{error.code}</code>
        </p>
        {error.reason !== undefined && <p class="error-reason mono">{error.reason}</p>}
      </div>
    </div>
  )
}

/** Why the call reverted on chain. */
export function RevertReason({ reason }: { readonly reason: string }) {
  return (
    <div class="error-box is-bad">
      <AlertIcon />
      <div>
        <p>
          <strong>Reverted:</strong> <span class="error-reason mono">{reason}</span>
        </p>
        <p class="muted">Found by running the call again on the state before its block.</p>
      </div>
    </div>
  )
}
