/** The frame around every page: navigation, search, what is wrong with the connection, and the page that the address names. */
import { useContext, useEffect, useRef } from 'preact/hooks'
import { loadOverview, type Overview } from './live/overview.ts'
import { loadRights, type Rights, RightsContext } from './live/rights.ts'
import { Service } from './live/service.ts'
import { type Resource, useResource } from './live/use-resource.ts'
import { later } from './pages/later.tsx'
import { OverviewPage } from './pages/overview-page.tsx'
import { formHash, type Route } from './pages/route.ts'
import { useRoute } from './pages/use-route.ts'
import { Announcer } from './parts/announcer.tsx'
import { ConnectionBanner } from './parts/connection-banner.tsx'
import { SideNav } from './parts/frame/side-nav.tsx'
import { TopBar } from './parts/frame/top-bar.tsx'
import { KeyPrompt, useKeyStatus } from './parts/key-prompt.tsx'
import { CommandPalette } from './parts/palette/command-palette.tsx'
import { Empty } from './parts/placeholders.tsx'

// The first page that people see comes with the frame; the others follow.
const AccessPage = later(async () => (await import('./pages/access-page.tsx')).AccessPage)
const ClusterPage = later(async () => (await import('./pages/cluster-page.tsx')).ClusterPage)
const SendPage = later(async () => (await import('./pages/send-page.tsx')).SendPage)
const SignerPage = later(async () => (await import('./pages/signer-page.tsx')).SignerPage)
const SignersPage = later(async () => (await import('./pages/signers-page.tsx')).SignersPage)
const TimersPage = later(async () => (await import('./pages/timers-page.tsx')).TimersPage)
const TransactionPage = later(async () => (await import('./pages/transaction-page.tsx')).TransactionPage)
const TransactionsPage = later(async () => (await import('./pages/transactions-page.tsx')).TransactionsPage)
const WebhookPage = later(async () => (await import('./pages/webhook-page.tsx')).WebhookPage)
const WebhooksPage = later(async () => (await import('./pages/webhooks-page.tsx')).WebhooksPage)

export function App() {
  const { api, board } = useContext(Service)
  const route = useRoute()
  const overview = useResource('overview', async () => {
    const loaded = await loadOverview(api)
    board.noteLoad(Date.now(), loaded)
    return loaded
  })
  const known = overview.type === 'ready' ? overview.value : null
  const main = useFocusOnNewPage(route)
  const key = useKeyStatus()
  const rights = useRights()
  return (
    <RightsContext value={rights}>
      <div class="frame">
        {/* A button, because the address after # names the page here and cannot name a place within it. */}
        <button type="button" class="skip-link" onClick={() => main.current?.focus()}>
          Skip to content
        </button>
        <SideNav route={route} overview={known} />
        <div class="frame-body">
          <TopBar overview={overview} />
          <ConnectionBanner />
          <main ref={main} tabIndex={-1} class={route.page === 'transactions' ? 'is-filled' : ''}>
            {key.type === 'needed' ? <KeyPrompt reason={key.reason} /> : <Page route={route} overview={overview} />}
          </main>
        </div>
        <CommandPalette lanes={known?.lanes ?? []} />
        <Announcer />
      </div>
    </RightsContext>
  )
}

/** Asked once for each key. */
function useRights(): Rights {
  const { api, keys } = useContext(Service)
  const key = useKeyStatus()
  const rights = useResource(
    `rights ${keys.version()} ${key.type}`,
    async (previous: Rights | null) => previous ?? (await loadRights(api)),
  )
  return rights.type === 'ready' ? rights.value : { type: 'unknown' }
}

function Page({ route, overview }: { readonly route: Route; readonly overview: Resource<Overview> }) {
  switch (route.page) {
    case 'overview':
      return <OverviewPage overview={overview} />
    case 'transactions':
      return <TransactionsPage route={route} overview={overview} />
    case 'transaction':
      return <TransactionPage key={route.key} txKey={route.key} />
    case 'signers':
      return <SignersPage overview={overview} />
    case 'signer':
      return <SignerPage key={route.address} address={route.address} after={route.after} />
    case 'timers':
      return <TimersPage overview={overview} />
    case 'webhooks':
      return <WebhooksPage />
    case 'webhook':
      return <WebhookPage key={route.id} id={route.id} />
    case 'access':
      return <AccessPage />
    case 'cluster':
      return <ClusterPage overview={overview} />
    case 'send':
      return <SendPage overview={overview} />
    case 'unknown':
      return <UnknownPage />
  }
}

function UnknownPage() {
  return (
    <Empty title="Page not found">
      <a href={formHash({ page: 'overview' })}>Back to the overview</a>
    </Empty>
  )
}

/** A new page starts at its top and takes the focus, as if the browser had loaded it. A changed filter does neither. */
function useFocusOnNewPage(route: Route) {
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const place = placeOf(route)
  useEffect(() => {
    if (!isFirst.current) {
      window.scrollTo(0, 0)
      main.current?.focus({ preventScroll: true })
    }
    isFirst.current = false
  }, [place])
  return main
}

function placeOf(route: Route): string {
  if (route.page === 'transaction') return route.key
  return route.page === 'signer' ? route.address : route.page
}
