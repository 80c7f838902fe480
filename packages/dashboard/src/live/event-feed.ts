/**
 * The newest events of the stream. The stream is read forward from a cursor, and there is no call for its end, so the feed
 * drops anchor a little before the last event of the newest transaction and reads on from there. Where more happens than
 * the page can read, it drops anchor anew: here the newest counts, and the whole is in each transaction's history.
 */
import type { ApiClient } from '../api/api-client.ts'
import type { EventResource } from '../api/api-resources.ts'

const KEPT = 60
const PAGE = 200
const MOST_PAGES = 3

type FeedApi = Pick<ApiClient, 'listTransactions' | 'readHistory' | 'readEvents'>

export interface EventFeed {
  /** Reads on; returns what is kept, newest first. */
  advance(): Promise<readonly EventResource[]>
}

export function createEventFeed({ api }: { readonly api: FeedApi }): EventFeed {
  let cursor = 0
  let isAnchored = false
  let kept: readonly EventResource[] = []

  return {
    async advance() {
      if (!isAnchored) cursor = Math.max(cursor, await findAnchor(api))
      isAnchored = true
      for (let page = 0; page < MOST_PAGES; page++) {
        const { items, next } = await api.readEvents(cursor, PAGE)
        kept = [...items.toReversed(), ...kept].slice(0, KEPT)
        cursor = next
        if (items.length < PAGE) return kept
      }
      isAnchored = false
      return kept
    },
  }
}

async function findAnchor(api: FeedApi): Promise<number> {
  const { items } = await api.listTransactions({ states: [], from: null, after: null, limit: 1 })
  const newest = items[0]
  if (newest === undefined) return 0
  const history = await api.readHistory(newest.id)
  return Math.max(0, (history.items.at(-1)?.eventId ?? 0) - KEPT)
}
