/** What every component may reach: the service's API and the page's pulse. */
import { createContext } from 'preact'
import type { ApiClient } from '../api/api-client.ts'
import type { Pulse } from './pulse.ts'

interface ServicePorts {
  readonly api: ApiClient
  readonly pulse: Pulse
}

const MISSING: ServicePorts = {
  get api(): never {
    throw new Error('rendered outside of the app: there is no API client')
  },
  get pulse(): never {
    throw new Error('rendered outside of the app: there is no pulse')
  },
}

export const Service = createContext<ServicePorts>(MISSING)
