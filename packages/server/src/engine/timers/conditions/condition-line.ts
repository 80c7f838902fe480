/**
 * The fires of one tenant that wait for their conditions, in the order in which they fired. A call that failed is tried
 * again alone, later and later. Until it has an outcome, later fires of the same timer are not asked for, and what is
 * known about them does not count yet: the fires of a timer keep their order.
 */
import { backOff } from '../../../core/back-off.ts'
import type { ConditionOutcome, TimerId } from '../../../core/timer/timer.ts'
import { failCondition } from './judge-condition.ts'
import type { OpenCheck } from './open-check.ts'

export interface Waiting extends OpenCheck {
  outcome: ConditionOutcome | null
  failed: Failed | null
}

interface Failed {
  readonly attempts: number
  /** Those between which the chain went on: somebody answered, only not this call. */
  readonly counted: number
  readonly height: number
  readonly since: number
  readonly retryAt: number
}

export interface Now {
  readonly ms: number
  /** Of the last block that was applied. */
  readonly height: number
}

const PAUSES = { first: 1_000, max: 60_000 }
const MIN_ATTEMPTS = 5
const MIN_MS = 5 * 60_000

/** What goes to the nodes next: some that were never asked for, or one that failed. They take turns. */
export function pickNext(line: readonly Waiting[], most: number, now: Now, wasRetry: boolean): readonly Waiting[] {
  const fresh: Waiting[] = []
  let retry: Waiting | null = null
  let retryAt = now.ms
  for (const waiting of listAskable(line)) {
    const { failed } = waiting
    if (failed === null) fresh.push(waiting)
    else if (failed.retryAt < retryAt || (retry === null && failed.retryAt === retryAt)) {
      retry = waiting
      retryAt = failed.retryAt
    }
  }
  return retry !== null && (fresh.length === 0 || !wasRetry) ? [retry] : fresh.slice(0, most)
}

/** How long until there is something to ask; null: there is nothing. */
export function untilNext(line: readonly Waiting[], { ms }: Now): number | null {
  let next: number | null = null
  for (const { failed } of listAskable(line)) next = Math.min(next ?? Number.POSITIVE_INFINITY, failed?.retryAt ?? ms)
  return next === null ? null : Math.max(0, next - ms)
}

function* listAskable(line: readonly Waiting[]): Generator<Waiting> {
  const held = new Set<TimerId>()
  for (const waiting of line) {
    const { fire, outcome, failed } = waiting
    if (outcome !== null || held.has(fire.timerId)) continue
    if (failed !== null) held.add(fire.timerId)
    yield waiting
  }
}

/** Those with an outcome that may count now. */
export function listKnown(line: readonly Waiting[]): readonly (Waiting & { readonly outcome: ConditionOutcome })[] {
  const open = new Set<TimerId>()
  return line.flatMap((waiting) => {
    const { fire, outcome } = waiting
    if (outcome === null) open.add(fire.timerId)
    return outcome === null || open.has(fire.timerId) ? [] : [{ ...waiting, outcome }]
  })
}

/**
 * No answer, or not the same from two nodes. It fails for good only after several attempts and some minutes, and only
 * if the chain went on meanwhile: while no node responds, nothing is skipped.
 */
export function noteFailure(waiting: Waiting, message: string, now: Now): void {
  const { attempts = 0, counted = 0, height = -1, since = now.ms } = waiting.failed ?? {}
  const failed = {
    attempts: attempts + 1,
    counted: now.height > height ? counted + 1 : counted,
    height: Math.max(height, now.height),
    since,
    retryAt: now.ms + backOff(attempts + 1, PAUSES),
  }
  waiting.failed = failed
  if (failed.counted >= MIN_ATTEMPTS && now.ms - since >= MIN_MS)
    waiting.outcome = failCondition(`The RPC nodes did not answer this call: ${message}`)
}
