/** `GET /v1/events`: the event stream in commit order, page by page. */
import { z } from 'zod'
import { ALL_LANES, reachesAll } from '../../../core/access/caller.ts'
import { AppError } from '../../../core/app-error.ts'
import { type EventFilter, matchesEvent } from '../../../core/webhook/event-filter.ts'
import type { HistoryEntry } from '../../../ports/history.ts'
import { eventFilterParams, toEventFilter } from '../../contract/requests/event-query.ts'
import { eventPage } from '../../contract/resources/event-resource.ts'
import { integerParam, pageLimitParam } from '../../contract/values/query.ts'
import { presentEventFor } from '../../present/present-event.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

const MAX_TAIL = 10_000

export const listEvents = defineRoute(
  {
    ...NO_INPUT,
    query: z.strictObject({
      after: integerParam(0, Number.MAX_SAFE_INTEGER)
        .default(0)
        .meta({ description: '`next` from the previous page.' }),
      tail: integerParam(0, MAX_TAIL)
        .optional()
        .meta({
          description: `Instead of \`after\`: start this many events before the newest one (0 to ${MAX_TAIL}). With 0 the page is empty, and \`next\` is the end of the stream.`,
        }),
      limit: pageLimitParam,
      ...eventFilterParams,
    }),
  },
  {
    operationId: 'listEvents',
    method: 'GET',
    path: '/v1/events',
    summary: 'Read events in order, starting at a cursor',
    scope: 'read',
    answers: [
      {
        status: 200,
        description: 'One page. At the end of the stream it is empty, and `next` is the cursor of the request.',
        schema: eventPage,
      },
    ],
    errors: [],
  },
  async ({ query: { after: cursor, tail, limit, ...params } }, { store }, caller) => {
    if (tail !== undefined && cursor !== 0) {
      throw new AppError('invalid_request', 'tail cannot be used with after.', { field: 'tail' })
    }
    const after = tail === undefined ? cursor : Math.max(0, (await store.findLastEventId()) - tail)
    const filter = toEventFilter(params)
    const picks = filter.types !== null || filter.chainId !== null || filter.signer !== null
    const isFiltered = picks || filter.completions || !reachesAll(caller)
    // Read this first: events skipped up to here are not read again.
    const end = isFiltered ? await store.findLastEventId() : 0
    const read = filter.completions ? store.readCompletions : store.readEvents
    const { entries, next } = await readMatching(read, { after, limit, end, filter: picks ? filter : null })
    return { status: 200, body: { items: entries.map((entry) => presentEventFor(caller, entry)), next } }
  },
)

interface Wanted {
  readonly after: number
  readonly limit: number
  /** Everything up to here is readable by now. */
  readonly end: number
  readonly filter: EventFilter | null
}

const LOOK = 1_000
/** A page may be empty although there is more: a narrow filter does not make the service read everything at once. */
const MAX_LOOKS = 10

async function readMatching(
  read: (after: number, limit: number) => Promise<readonly HistoryEntry[]>,
  { after, limit, end, filter }: Wanted,
): Promise<{ readonly entries: readonly HistoryEntry[]; readonly next: number }> {
  const width = filter === null ? limit : LOOK
  const entries: HistoryEntry[] = []
  let next = after
  for (let look = 0; look < MAX_LOOKS && entries.length < limit; look++) {
    const seen = await read(next, width)
    for (const entry of seen) {
      if (entries.length === limit) break
      next = entry.eventId
      if (filter === null || matchesEvent(filter, ALL_LANES, entry)) entries.push(entry)
    }
    if (seen.length < width && entries.length < limit) return { entries, next: Math.max(next, end) }
  }
  return { entries, next }
}
