/** The webhook receiver: records each event it gets, and fails, hangs or loses its answer when told to. */
import type { Poster } from '../../../server/src/webhooks/post-delivery.ts'
import { type Chance, createChance } from '../chance.ts'
import type { Watcher } from '../check/watcher.ts'
import type { Timeline } from '../timeline.ts'
import type { SimProcess } from './process.ts'

export interface ReceiverMood {
  readonly refusing: number
  readonly answerLost: number
  readonly slowMs: number
}

export interface Receiver {
  mood: ReceiverMood
  chance: Chance
  openPoster(process: SimProcess): Poster
}

export const GOOD_RECEIVER: ReceiverMood = { refusing: 0, answerLost: 0, slowMs: 0 }

export function createReceiver(timeline: Timeline, watcher: Pick<Watcher, 'received'>): Receiver {
  const receiver: Receiver = {
    mood: GOOD_RECEIVER,
    chance: createChance('receiver'),
    openPoster: (process) => ({
      async post(_url, headers, body) {
        const { mood, chance } = receiver
        const took = chance.below(Math.max(1, mood.slowMs))
        if (mood.slowMs > 0) await pause(process, timeline, took)
        if (!process.isAlive()) return await new Promise(() => {})
        const failed = { status: null, response: null, retryAfterMs: null, durationMs: took }
        if (chance.hits(mood.refusing)) return { ...failed, error: 'answered 503', status: 503 }
        const told: unknown = JSON.parse(body)
        watcher.received(String(headers['webhook-id']), (told as { data: { eventId: number } }).data.eventId)
        if (chance.hits(mood.answerLost)) return { ...failed, error: 'no answer' }
        return { status: 200, error: null, response: null, retryAfterMs: null, durationMs: took }
      },
      close() {},
    }),
  }
  return receiver
}

function pause(process: SimProcess, timeline: Timeline, ms: number): Promise<void> {
  return new Promise((resolve) => void timeline.at(timeline.now() + ms, () => process.deliver(resolve)))
}
