/** `GET /v1/events`: the event stream in commit order, page by page. */
import { z } from 'zod'
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
      completions: z
        .enum(['true', 'false'])
        .default('false')
        .meta({ description: '`true`: only the one event of each transaction that made it final.' }),
    }),
  },
  {
    operationId: 'listEvents',
    method: 'GET',
    path: '/v1/events',
    summary: 'Read events in order, from a cursor on',
    answers: [{ status: 200, description: 'One page; empty at the end of the stream.', schema: eventPage }],
    errors: [],
  },
  async ({ query: { after, limit, completions } }, { store }) => {
    const read = completions === 'true' ? store.readCompletions : store.readEvents
    const entries = await read(after, limit)
    const next = entries.at(-1)?.eventId ?? after
    return { status: 200, body: { items: entries.map(presentEvent), next } }
  },
)
