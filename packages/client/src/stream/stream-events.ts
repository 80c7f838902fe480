/** The event stream as the service pushes it; the reader opens it again after the last event received. */
import type { Event } from '../generated/api-types.ts'
import { spellPath } from '../transport/operation.ts'
import { type OpenStream, parseData } from './open-stream.ts'
import type { OpenEvents } from './poll-events.ts'

const OPERATION = 'GET /v1/events/stream'

export function createStreamedEvents(openStream: OpenStream): OpenEvents {
  return async function* open({ after, query, signal, onAnswer, onPassed }) {
    const path = spellPath('/v1/events/stream', { after, ...query })
    for await (const { id, data } of openStream({ operation: OPERATION, path, lastId: after, signal, onAnswer })) {
      if (data !== null) yield parseData<Event>(data, 'eventId', OPERATION)
      else if (id !== null) onPassed(Number(id))
    }
  }
}
