/** The way back to the list of signers. */
import { formHash } from '../pages/route.ts'

export function BackLink() {
  return (
    <p class="back-link">
      <a href={formHash({ page: 'signers' })}>← Signers</a>
    </p>
  )
}
