/** `GET /v1/events`: the event stream in commit order, page by page. */
import { z } from 'zod'
import { reachesAll } from '../../core/caller.ts'
import { completionsParam } from '../contract/event-query.ts'
import { eventPage } from '../contract/event-resource.ts'
import { integerParam, pageLimitParam } from '../contract/query.ts'
import { presentEvent } from '../present-event.ts'
import { defineRoute, NO_INPUT } from '../route.ts'

export const listEvents = defineRoute(
  {
    ...NO_INPUT,
    query: z.strictObject({
      after: integerParam(0, Number.MAX_SAFE_INTEGER).default(0).meta({ description: '`next` of the page before.' }),
      limit: pageLimitParam,
      completions: completionsParam,
    }),
  },
  {
    operationId: 'listEvents',
    method: 'GET',
    path: '/v1/events',
    summary: 'Read events in order, from a cursor on',
    scope: 'read',
    answers: [{ status: 200, description: 'One page; empty at the end of the stream.', schema: eventPage }],
    errors: [],
  },
  async ({ query: { after, limit, completions } }, { store }, caller) => {
    const read = completions === 'true' ? store.readCompletions : store.readEvents
    // Where some are left out, a page that is not full goes on from the end: what was passed over is not read again.
    const isFiltered = completions === 'true' || !reachesAll(caller)
    const end = isFiltered ? await store.findLastEventId() : 0
    const entries = await read(after, limit)
    const last = entries.at(-1)?.eventId ?? after
    const next = entries.length < limit ? Math.max(last, end) : last
    return { status: 200, body: { items: entries.map(presentEvent), next } }
  },
)
