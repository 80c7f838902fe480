/** Why a transaction did not continue, or is not continuing. */
import type { TransactionResource } from '../api/api-resources.ts'
import { AlertIcon } from './icons.tsx'

interface ErrorBoxProps {
  readonly error: NonNullable<TransactionResource['error']>
  readonly isFinal: boolean
  /** Why the call reverted on chain; null: it did not, or that is not known. */
  readonly revertReason: string | null
}

export function ErrorBox({ error, isFinal, revertReason }: ErrorBoxProps) {
  return (
    <div class={`error-box ${isFinal ? 'is-bad' : 'is-warn'}`}>
      <AlertIcon />
      <div>
        <p>
          <strong>{error.message.charAt(0).toUpperCase() + error.message.slice(1)}</strong> <code>{error.code}</code>
        </p>
        {error.reason !== undefined && <p class="error-reason mono">{error.reason}</p>}
        {revertReason !== null && <RevertText reason={revertReason} />}
      </div>
    </div>
  )
}

/** For one that reverted in a block that is not final yet. */
export function RevertBox({ reason }: { readonly reason: string }) {
  return (
    <div class="error-box is-bad">
      <AlertIcon />
      <div>
        <p>
          <strong>It reverted</strong>
        </p>
        <RevertText reason={reason} />
      </div>
    </div>
  )
}

function RevertText({ reason }: { readonly reason: string }) {
  return (
    <>
      <p class="error-reason mono">{reason}</p>
      <p class="muted">The reason was found by running the call again on the state before its block.</p>
    </>
  )
}
