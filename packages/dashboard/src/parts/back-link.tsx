/** The way back to the overview. */
import { formHash } from '../pages/route.ts'

export function BackLink() {
  return (
    <p class="back-link">
      <a href={formHash({ page: 'overview' })}>← Overview</a>
    </p>
  )
}
