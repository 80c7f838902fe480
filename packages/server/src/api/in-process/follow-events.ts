/**
 * The event stream for a program in the same process: every event in commit order, from a cursor on, until the reader
 * leaves or the node stops. All readers share one tail. A reader that is further behind reads pages from the store, as
 * slowly as it likes: nothing is kept for it.
 */

import { createEventTail, type EventTail, type TailPorts } from '../../engine/wait/event-tail.ts'
import { StoreUnavailable } from '../../ports/store.ts'
import type { EventResource } from '../contract/resources/event-resource.ts'
import { presentEvent } from '../present/present-event.ts'

export interface EventsOptions {
  /** The `eventId` of the last event that you have. Default: from the beginning. `latest`: only new events. */
  readonly after?: number | 'latest'
  /** Ends the loop, without an error. */
  readonly signal?: AbortSignal
}

export interface FollowedEvents {
  read(options?: EventsOptions): AsyncGenerator<EventResource, void, undefined>
  /** Ends every loop. */
  close(): Promise<void>
}

const PAGE = 200
const RETRY_MS = 1_000

export function createFollowedEvents(ports: Omit<TailPorts<EventResource>, 'prepare'>): FollowedEvents {
  const { store } = ports
  const tail = createEventTail({ ...ports, prepare: presentEvent })
  const closing = new AbortController()

  async function* read({ after = 0, signal }: EventsOptions = {}): AsyncGenerator<EventResource, void, undefined> {
    const stop = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal])
    const news = followNews(tail, stop)
    const ask = <T>(question: () => Promise<T>) => untilAnswered(question, ports, stop)
    try {
      let cursor = after === 'latest' ? await ask(() => store.findLastEventId()) : after
      while (cursor !== null && !stop.aborted) {
        const next = news.next()
        const position = tail.position() ?? 0
        const kept = tail.readAfter(cursor, PAGE)
        const from = cursor
        const events = kept ?? (await ask(() => store.readEvents(from, PAGE)))?.map(presentEvent) ?? []
        for (const event of events) {
          if (stop.aborted) return
          cursor = event.eventId
          yield event
        }
        // A short page has everything up to what this node had read when it was asked for.
        if (kept === null && events.length < PAGE) cursor = Math.max(cursor, position)
        if (events.length === 0) await next
      }
    } finally {
      news.end()
    }
  }

  return {
    read,
    close: async () => {
      closing.abort()
      await tail.close()
    },
  }
}

/** Asks again while the database is away; null if it is time to stop. */
async function untilAnswered<T>(
  question: () => Promise<T>,
  { clock }: Pick<TailPorts<unknown>, 'clock'>,
  stop: AbortSignal,
): Promise<T | null> {
  while (!stop.aborted) {
    try {
      return await question()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      await new Promise<void>((resolve) => {
        const cancel = clock.schedule(RETRY_MS, resolve)
        stop.addEventListener('abort', () => {
          cancel()
          resolve()
        })
      })
    }
  }
  return null
}

/** `next()`: settles with the first news after the call, or when it is time to stop. */
function followNews(tail: Pick<EventTail<unknown>, 'follow'>, stop: AbortSignal) {
  let waiting: () => void = () => undefined
  const wake = (): void => waiting()
  const unfollow = tail.follow(wake)
  stop.addEventListener('abort', wake)
  return {
    next: () =>
      new Promise<void>((resolve) => {
        waiting = resolve
        if (stop.aborted) resolve()
      }),
    end: () => {
      unfollow()
      stop.removeEventListener('abort', wake)
    },
  }
}
