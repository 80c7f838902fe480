/** What every component may reach: the service's API, the key for it, the page's pulse, the events and the figures. */
import { createContext } from 'preact'
import type { ApiClient } from '../api/api-client.ts'
import type { KeyHolder } from '../api/key-holder.ts'
import type { Board } from './board.ts'
import type { BrowserEventHub } from './browser-event-hub.ts'
import type { Pulse } from './pulse.ts'

interface ServicePorts {
  readonly api: ApiClient
  readonly pulse: Pulse
  readonly keys: KeyHolder
  readonly hub: BrowserEventHub
  readonly board: Board
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
  get hub(): never {
    throw new Error('rendered outside of the app: there are no events')
  },
  get board(): never {
    throw new Error('rendered outside of the app: there are no figures')
  },
}

export const Service = createContext<ServicePorts>(MISSING)
