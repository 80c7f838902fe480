/** A stuck hook behind HTTP: the question is posted, signed, and the JSON that comes back is the decision. */
import type { Clock, Random } from '../ports/clock.ts'
import type { StuckHook } from '../ports/stuck-hook.ts'
import { signWebhook } from './sign-webhook.ts'
import { parseStuckDecision } from './stuck-decision.ts'

interface StuckWebhookOptions {
  readonly url: string
  readonly secret: string
  readonly clock: Clock
  readonly random: Random
  readonly timeoutMs?: number
}

const MAX_ANSWER_LENGTH = 64 * 1024

export function createStuckWebhook({ url, secret, clock, random, timeoutMs = 10_000 }: StuckWebhookOptions): StuckHook {
  const { host } = new URL(url)
  return {
    decide: async (question) => {
      const body = JSON.stringify({
        type: 'transaction.stuck',
        timestamp: new Date(clock.now()).toISOString(),
        data: question,
      })
      const signature = signWebhook(secret, random.id(clock.now()), clock.now(), body)
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...signature },
        body,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      if (!response.ok || text.length > MAX_ANSWER_LENGTH)
        throw new Error(`the stuck hook at ${host} answered ${response.status}`)
      return parseStuckDecision(JSON.parse(text))
    },
  }
}
