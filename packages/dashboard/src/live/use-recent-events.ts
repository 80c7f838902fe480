/** The newest events, newest first, as they come. */
import { useContext, useEffect, useState } from 'preact/hooks'
import type { EventResource } from '../api/api-resources.ts'
import { Service } from './service.ts'

export function useRecentEvents(): readonly EventResource[] {
  const { hub } = useContext(Service)
  const [events, setEvents] = useState(hub.recent)
  useEffect(() => {
    setEvents(hub.recent())
    return hub.onEvents(() => setEvents(hub.recent()))
  }, [hub])
  return events
}
