/** Whether the page hears from the service. */
import { useContext, useEffect, useState } from 'preact/hooks'
import type { PulseStatus } from './pulse.ts'
import { Service } from './service.ts'

export function usePulseStatus(): PulseStatus {
  const { pulse } = useContext(Service)
  const [status, setStatus] = useState(pulse.status())
  useEffect(() => pulse.onStatus(setStatus), [pulse])
  return status
}
