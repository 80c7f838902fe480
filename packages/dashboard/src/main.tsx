/** Starts the page: the only place that touches the browser's globals to hand them on. */
import { render } from 'preact'
import { createApiClient } from './api/api-client.ts'
import { createKeyHolder } from './api/key-holder.ts'
import { App } from './app.tsx'
import { createBrowserPulse } from './live/browser-pulse.ts'
import { Service } from './live/service.ts'
import './styles/tokens.css'
import './styles/base.css'
import './styles/frame.css'
import './styles/parts.css'
import './styles/tables.css'
import './styles/transaction.css'
import './styles/console.css'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no element with the id "app"')

const keys = createKeyHolder({ fetch: (input, init) => fetch(input, init), storage: sessionStorage })
const service = {
  keys,
  api: createApiClient({ fetch: keys.fetch }),
  pulse: createBrowserPulse(),
}

render(
  <Service value={service}>
    <App />
  </Service>,
  root,
)
