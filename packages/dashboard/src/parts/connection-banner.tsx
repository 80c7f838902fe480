/** Says that what is on screen is old, since when, and when the page will ask again. */
import { useContext } from 'preact/hooks'
import { formatAge } from '../format/format-time.ts'
import { Service } from '../live/service.ts'
import { useNow } from '../live/use-now.ts'
import { usePulseStatus } from '../live/use-pulse-status.ts'
import { CodedText } from './coded-text.tsx'
import { Clock } from './figures.tsx'
import { AlertIcon } from './icons.tsx'

export function ConnectionBanner() {
  const status = usePulseStatus()
  return status.type === 'away' ? <AwayBanner {...status} /> : null
}

function AwayBanner({ reason, since, retryAt }: { reason: string; since: number; retryAt: number }) {
  const { pulse } = useContext(Service)
  const now = useNow()
  const waitMs = retryAt - now
  return (
    <div class="banner">
      <AlertIcon />
      {/* Only the reason is an alert: the seconds that pass are not to be read out one by one. */}
      <p>
        <strong role="alert">
          <CodedText text={reason} />
        </strong>{' '}
        What you see is from <Clock at={new Date(since).toISOString()} />, {formatAge(now - since)} ago.
      </p>
      <p class="banner-retry" aria-hidden="true">
        {waitMs > 1_000 ? `Retrying in ${formatAge(waitMs)}` : 'Retrying'}
      </p>
      <button type="button" class="button" onClick={() => pulse.beatSoon()}>
        Retry now
      </button>
    </div>
  )
}
