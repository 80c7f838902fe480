/** Whether what comes with the event stream is live, or since when it is old. */
import { useContext } from 'preact/hooks'
import { Service } from '../live/service.ts'
import { useNow } from '../live/use-now.ts'
import { usePulseStatus } from '../live/use-pulse-status.ts'
import { Clock } from './figures.tsx'

/** A stream that breaks and is there again at once is not worth a word. */
const SAID_AFTER_MS = 2_000

/** `isQuiet`: says only that events are missing. The banner says it if the service is away. */
export function Freshness({ isQuiet = false }: { readonly isQuiet?: boolean }) {
  const { hub } = useContext(Service)
  const status = usePulseStatus()
  const now = useNow()
  const lostSince = hub.reach.lostSince()
  if (status.type === 'away') return isQuiet ? null : <Stale since={status.since} />
  if (lostSince !== null && now - lostSince > SAID_AFTER_MS) return <Stale since={lostSince} isStreamOnly />
  if (isQuiet) return null
  return <span class="freshness">{status.type === 'live' ? 'Live' : 'Connecting'}</span>
}

function Stale({ since, isStreamOnly = false }: { readonly since: number; readonly isStreamOnly?: boolean }) {
  return (
    <span
      class="freshness is-stale"
      title={isStreamOnly ? 'The event stream is interrupted. The page tries again.' : ''}
    >
      {isStreamOnly ? 'No events since ' : 'No news since '}
      <Clock at={new Date(since).toISOString()} />
    </span>
  )
}
