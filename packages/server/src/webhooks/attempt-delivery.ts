/** One attempt at one delivery: what is sent, and what its answer means for the delivery. */
import { pauseBeforeRetry, type RetryPolicy } from '../core/webhook/webhook-retry.ts'
import { signWebhook } from '../hooks/sign-webhook.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { HistoryEntry } from '../ports/history.ts'
import type { AttemptOutcome, AttemptResult, DueDelivery } from '../ports/webhook-store.ts'
import type { Posted, Poster } from './post-delivery.ts'

export interface AttemptPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'fraction'>
  readonly poster: Pick<Poster, 'post'>
  readonly retry: RetryPolicy
  /** As the API shows it. */
  present(event: HistoryEntry): unknown
}

const GONE = 410

export async function attemptDelivery(
  ports: AttemptPorts,
  due: DueDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const body = due.body ?? composeBody(ports, due.event)
  if (body === null) return { due, outcome: { type: 'failed' }, answer: NO_EVENT, isGone: false }
  if (due.secrets.length === 0) {
    const outcome = judge(ports, due, NO_SECRET, null)
    return { due, outcome, answer: NO_SECRET, isGone: false }
  }
  const headers = signWebhook(due.secrets, due.delivery.id, ports.clock.now(), body)
  const { retryAfterMs, ...answer } = await ports.poster.post(due.url, { ...headers }, body, signal)
  return { due, outcome: judge(ports, due, answer, retryAfterMs), answer, isGone: answer.status === GONE }
}

/**
 * Never sent unsigned: a receiver that checks signatures would refuse it, and one that does not could be fed anything.
 */
const NO_SECRET = {
  status: null,
  response: null,
  durationMs: 0,
  error: 'cannot decrypt the secret of the webhook: this node lacks the key in secretsKey',
}
const NO_EVENT = { status: null, error: 'the event is no longer stored', response: null, durationMs: 0 }

/** The same with every attempt, but for how often the event has happened since. */
function composeBody({ present }: AttemptPorts, event: HistoryEntry | null): string | null {
  if (event === null) return null
  return JSON.stringify({ type: event.type, timestamp: new Date(event.at).toISOString(), data: present(event) })
}

function judge(
  { random, retry }: AttemptPorts,
  { delivery, sinceFirstMs }: DueDelivery,
  { error, durationMs }: Pick<Posted, 'error' | 'durationMs'>,
  retryAfterMs: number | null,
): AttemptOutcome {
  if (error === null) return { type: 'delivered' }
  const attempts = delivery.attempts + 1
  const failed = { attempts, sinceFirstMs: (sinceFirstMs ?? 0) + durationMs, retryAfterMs, chance: random.fraction() }
  const pauseMs = pauseBeforeRetry(failed, retry)
  return pauseMs === null ? { type: 'failed' } : { type: 'retry', pauseMs }
}
