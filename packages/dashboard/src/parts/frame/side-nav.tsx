/** The way between the pages: a column on wide screens, a row that scrolls on narrow ones. */
import { useContext, useEffect, useRef } from 'preact/hooks'
import type { Overview } from '../../live/overview.ts'
import { RightsContext } from '../../live/rights.ts'
import { Service } from '../../live/service.ts'
import { formHash, type Route } from '../../pages/route.ts'
import { LockIcon, Mark } from '../icons.tsx'
import { PageIcon } from './page-icon.tsx'
import { PAGES } from './pages.ts'

interface SideNavProps {
  readonly route: Route
  readonly overview: Overview | null
}

export function SideNav({ route, overview }: SideNavProps) {
  const stuck = overview?.lanes.reduce((sum, lane) => sum + lane.stuck, 0) ?? 0
  const nav = useRef<HTMLElement>(null)
  // Where the row is longer than the screen, the page that is open must not be off its end.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [route.page])
  return (
    <div class="side">
      <a class="brand" href={formHash({ page: 'overview' })}>
        <Mark />
        Drover
      </a>
      <nav ref={nav} class="side-nav" aria-label="Pages">
        <ul>
          {PAGES.map(({ name, href, holds }) => (
            <li key={name}>
              <a href={href} aria-current={holds.includes(route.page) ? 'page' : undefined}>
                <PageIcon name={name} />
                {name}
                {name === 'Transactions' && stuck > 0 && (
                  <span class="side-count" title={`${stuck} stuck`}>
                    {stuck}
                    <span class="sr-only"> stuck</span>
                  </span>
                )}
              </a>
            </li>
          ))}
          <li class="side-docs">
            <a href="/docs">
              <PageIcon name="Docs" />
              Docs
            </a>
          </li>
        </ul>
      </nav>
      <UsedKey />
    </div>
  )
}

/** Which key this tab uses, and the way to use another one. */
function UsedKey() {
  const { keys } = useContext(Service)
  const rights = useContext(RightsContext)
  if (rights.type !== 'known' || rights.caller.keyId === null) return null
  const { name, scopes } = rights.caller
  return (
    <div class="side-key">
      <p>
        <LockIcon />
        <strong title={`API key ${name}`}>{name}</strong>
      </p>
      <p class="muted">{scopes.join(', ')}</p>
      <button type="button" class="link-button" onClick={() => keys.forget()}>
        Use another key
      </button>
    </div>
  )
}
