/**
 * Pages of past events for streams that are behind. Many clients that reconnect at once request the same pages. Each
 * page is read and framed once and cached briefly, up to a limit. Only full pages are cached, because they get no more
 * events.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { createEventFrame, type EventFrame } from './event-frame.ts'

export type ReadEventPage = (after: number, limit: number) => Promise<readonly EventFrame[]>

interface PagePorts {
  readonly store: Pick<Store, 'readEvents'>
  readonly clock: Pick<Clock, 'schedule'>
}

const KEPT_FOR_MS = 1_000
const MAX_PAGES = 64

export function createEventPages({ store, clock }: PagePorts): ReadEventPage {
  const pages = new Map<string, readonly EventFrame[]>()

  return async (after, limit) => {
    const key = `${after} ${limit}`
    const known = pages.get(key)
    if (known !== undefined) return known
    const page = (await store.readEvents(after, limit)).map(createEventFrame)
    if (page.length === limit && pages.size < MAX_PAGES && !pages.has(key)) {
      pages.set(key, page)
      clock.schedule(KEPT_FOR_MS, () => pages.delete(key))
    }
    return page
  }
}
