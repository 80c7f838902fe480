/** Shown where there is no signer: how to get one. */
import { Empty } from '../placeholders.tsx'

export function NoSigners() {
  return (
    <Empty title="No signers yet">
      Give Drover a key, for example with <code>DROVER_SIGNER_KEYS</code>, and start it again.
    </Empty>
  )
}
