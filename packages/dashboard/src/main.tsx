/** Starts the page: the only place that touches the browser's globals to hand them on. */
import { render } from 'preact'
import { createApiClient } from './api/api-client.ts'
import { createKeyHolder } from './api/key-holder.ts'
import { App } from './app.tsx'
import { createBoard } from './live/board.ts'
import { createBrowserEventHub } from './live/browser-event-hub.ts'
import { createBrowserPulse } from './live/browser-pulse.ts'
import { Service } from './live/service.ts'
import { loadTheRest } from './pages/later.tsx'
import 'uplot/dist/uPlot.min.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/frame.css'
import './styles/parts.css'
import './styles/tables.css'
import './styles/transaction.css'
import './styles/forms.css'
import './styles/palette.css'
import './styles/list.css'
import './styles/console.css'
import './styles/overview.css'
import './styles/signer.css'
import './styles/rights.css'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html has no element with the id "app"')

const keys = createKeyHolder({ fetch: (input, init) => fetch(input, init), storage: sessionStorage })
const api = createApiClient({ fetch: keys.fetch })
const hub = createBrowserEventHub({ api, keys })
const service = { keys, api, pulse: createBrowserPulse(), hub, board: createBoard() }
hub.start()

render(
  <Service value={service}>
    <App />
  </Service>,
  root,
)

addEventListener('load', () => void loadTheRest())
