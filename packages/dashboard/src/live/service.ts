/** What every component may reach: the service's API, the key for it and the page's pulse. */
import { createContext } from 'preact'
import type { ApiClient } from '../api/api-client.ts'
import type { KeyHolder } from '../api/key-holder.ts'
import type { Pulse } from './pulse.ts'

interface ServicePorts {
  readonly api: ApiClient
  readonly pulse: Pulse
  readonly keys: KeyHolder
}

const MISSING: ServicePorts = {
  get api(): never {
    throw new Error('rendered outside of the app: there is no API client')
  },
  get pulse(): never {
    throw new Error('rendered outside of the app: there is no pulse')
  },
  get keys(): never {
    throw new Error('rendered outside of the app: there is nobody to hold a key')
  },
}

export const Service = createContext<ServicePorts>(MISSING)
