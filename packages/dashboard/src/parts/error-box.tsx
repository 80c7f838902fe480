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
