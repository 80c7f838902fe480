/**
 * Uses the pushed stream if available, otherwise pages: for an older service, a proxy that blocks streams, a runtime
 * that cannot read them, or a service at its stream limit. Both continue from the same cursor, so switching neither
 * loses nor repeats an event.
 */
import { DroverError } from '../transport/drover-error.ts'
import type { OpenEvents } from './poll-events.ts'

export interface EventSources {
  readonly stream: OpenEvents
  /** Ends by itself now and then. */
  readonly poll: OpenEvents
}

/** After this time it tries a stream again: there may be room for it, or a newer service. */
const ASK_AGAIN_AFTER_MS = 60_000

export function createChosenEvents({ stream, poll }: EventSources): OpenEvents {
  let refusedAt = Number.NEGATIVE_INFINITY
  return async function* open(from) {
    // What has an end is a matter of pages: a stream does not say where the present is.
    if (!from.follow || performance.now() - refusedAt < ASK_AGAIN_AFTER_MS) return yield* poll(from)
    let cursor = from.after
    try {
      for await (const event of stream(from)) {
        cursor = event.eventId
        yield event
      }
    } catch (error) {
      // Any answer but a stream. Whether it was about the stream alone is found out by asking for a page.
      if (!(error instanceof DroverError) || error.status === undefined) throw error
      refusedAt = performance.now()
      yield* poll({ ...from, after: cursor })
    }
  }
}
