/**
 * The newest events of the stream. The stream is read forward from a cursor, and there is no call for its end, so the feed
 * first feels its way there: whether anything lies after a number is one small read, and the answer changes only once
 * along the stream, so leaps that double and then halve find the end of millions in some dozens of reads. From a little
 * before it the feed reads on. Where more happens than the page can read, it leaps again: here the newest counts, and the
 * whole is in each transaction's history.
 */
import type { ApiClient } from '../api/api-client.ts'
import type { EventResource } from '../api/api-resources.ts'

const KEPT = 60
const PAGE = 200
const MAX_PAGES = 3

type FeedApi = Pick<ApiClient, 'readEvents'>

export interface EventFeed {
  /** Reads on; returns what is kept, newest first. */
  advance(): Promise<readonly EventResource[]>
}

export function createEventFeed({ api }: { readonly api: FeedApi }): EventFeed {
  let cursor = 0
  let isNearEnd = false
  let kept: readonly EventResource[] = []

  return {
    async advance() {
      if (!isNearEnd) cursor = Math.max(cursor, (await findNearEnd(api, cursor)) - KEPT)
      isNearEnd = true
      for (let page = 0; page < MAX_PAGES; page++) {
        const { items, next } = await api.readEvents(cursor, PAGE)
        kept = [...items.toReversed(), ...kept].slice(0, KEPT)
        cursor = next
        if (items.length < PAGE) return kept
      }
      isNearEnd = false
      return kept
    },
  }
}

/** A cursor with at most `KEPT` numbers between it and the end of the stream, as that was when it was asked. */
async function findNearEnd(api: FeedApi, from: number): Promise<number> {
  const hasMore = async (after: number) => (await api.readEvents(after, 1)).items.length > 0
  let low = from
  let leap = PAGE
  while (await hasMore(low + leap)) {
    low += leap
    leap *= 2
  }
  let high = low + leap
  while (high - low > KEPT) {
    const middle = Math.floor((low + high) / 2)
    if (await hasMore(middle)) low = middle
    else high = middle
  }
  return low
}
