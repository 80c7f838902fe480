/** The frame around every page: the bar on top, what is wrong with the connection, and the page that the address names. */
import { useContext, useEffect, useRef } from 'preact/hooks'
import { loadOverview, type Overview } from './live/overview.ts'
import { Service } from './live/service.ts'
import { type Resource, useResource } from './live/use-resource.ts'
import { OverviewPage } from './pages/overview-page.tsx'
import { formHash, type Route } from './pages/route.ts'
import { SignerPage } from './pages/signer-page.tsx'
import { TransactionPage } from './pages/transaction-page.tsx'
import { useRoute } from './pages/use-route.ts'
import { Announcer } from './parts/announcer.tsx'
import { ConnectionBanner } from './parts/connection-banner.tsx'
import { KeyPrompt, useKeyStatus } from './parts/key-prompt.tsx'
import { Empty } from './parts/placeholders.tsx'
import { TopBar } from './parts/top-bar.tsx'

export function App() {
  const { api } = useContext(Service)
  const route = useRoute()
  const overview = useResource('overview', () => loadOverview(api))
  const main = useFocusOnNewPage(route)
  const key = useKeyStatus()
  return (
    <>
      {/* A button, because the address after # names the page here and cannot name a place within it. */}
      <button type="button" class="skip-link" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar overview={overview} />
      <ConnectionBanner />
      <main ref={main} tabIndex={-1}>
        {key.type === 'needed' ? <KeyPrompt reason={key.reason} /> : <Page route={route} overview={overview} />}
      </main>
      <Announcer />
    </>
  )
}

function Page({ route, overview }: { readonly route: Route; readonly overview: Resource<Overview> }) {
  switch (route.page) {
    case 'overview':
      return <OverviewPage route={route} overview={overview} />
    case 'transaction':
      return <TransactionPage key={route.key} txKey={route.key} />
    case 'signer':
      return <SignerPage key={route.address} address={route.address} after={route.after} />
    case 'unknown':
      return <UnknownPage />
  }
}

function UnknownPage() {
  return (
    <Empty title="Page not found">
      <a href={formHash({ page: 'overview', group: 'all', from: null, after: null })}>Back to the overview</a>
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
