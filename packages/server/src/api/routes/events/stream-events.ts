/** `GET /v1/events/stream`: the event stream as it happens, by Server-Sent Events. */
import { z } from 'zod'
import { eventFilterParams, toEventFilter } from '../../contract/requests/event-query.ts'
import { confirmationUpdate } from '../../contract/resources/confirmation-update.ts'
import { eventResource } from '../../contract/resources/event-resource.ts'
import { integerParam } from '../../contract/values/query.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

const cursor = integerParam(0, Number.MAX_SAFE_INTEGER)

const afterParam = z
  .string({ error: 'must be given only once' })
  .default('latest')
  .meta({ description: 'Id of the last event that you processed. `0`: all events. `latest`: only new events.' })
  .transform((text, context) => {
    if (text === 'latest') return text
    const parsed = cursor.safeParse(text)
    if (parsed.success) return parsed.data
    context.addIssue({ code: 'custom', message: 'must be the id of an event, 0 or latest' })
    return z.NEVER
  })

export const streamEvents = defineRoute(
  {
    ...NO_INPUT,
    query: z.strictObject({
      after: afterParam,
      ...eventFilterParams,
      include: z.literal('confirmations', { error: 'must be confirmations' }).optional().meta({
        description:
          '`confirmations`: also send the confirmations of each mined transaction as they arrive, as events without an id.',
      }),
    }),
    headers: z.object({
      // A reconnecting client sends it along with its original URL. It is the newer of the two cursors.
      'last-event-id': cursor
        .optional()
        .meta({ description: 'Id of the last event that you received. Takes precedence over `after`.' }),
    }),
  },
  {
    operationId: 'streamEvents',
    method: 'GET',
    path: '/v1/events/stream',
    summary: 'Stream events in order as they happen, starting at a cursor',
    scope: 'read',
    answers: [
      {
        status: 200,
        description:
          'An endless stream of Server-Sent Events: `id` is the id of the event, `event` its type, `data` the same JSON as in a page. With `include=confirmations`, `confirmations` events have no id, and their `data` is a ConfirmationUpdate.',
        contentType: 'text/event-stream',
        events: [eventResource, confirmationUpdate],
      },
    ],
    errors: ['too_many_streams'],
  },
  async ({ query: { after, include, ...filter }, headers }, { eventStreams }, caller) => ({
    status: 200,
    // Proxies buffer what they take for a whole page.
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
    body: await eventStreams.open({
      after: headers['last-event-id'] ?? after,
      filter: toEventFilter(filter),
      confirmations: include === 'confirmations',
      caller,
    }),
  }),
)
