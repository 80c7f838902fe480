/** A request to reset a nonce, with its progress. */
import type { NonceReset } from '@drover/client'
import { presentFields } from '../output/present-fields.ts'
import type { Style } from '../output/style.ts'

export function presentReset({ id, state, fromNonce, toNonce, refusal, progress }: NonceReset, style: Style): string {
  const spelled =
    progress &&
    `${progress.cancelled} of ${progress.total} cancelled, ${progress.endedOtherwise} ended first, ${progress.left} left`
  return presentFields(
    [
      ['id', id],
      ['state', state],
      ['in flight', spelled],
      ['nonce', spellMove(fromNonce, toNonce)],
      ['refusal', refusal],
    ],
    style,
  )
}

/** Null until the reset is done: there is nothing to show. */
function spellMove(from: number | null, to: number | null): string | null {
  if (to === null) return null
  return from === null ? `set to ${to}` : `${from} to ${to}`
}
