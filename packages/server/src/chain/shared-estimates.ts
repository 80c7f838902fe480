/**
 * The same call is tried once for each head: on one state it has one outcome, so what acceptance found out need not be
 * asked again by the lane, nor for each of a hundred equal calls. Only success is kept, for one head and for a few seconds:
 * a failure may be a node's mistake and is looked at anew every time.
 */
import type { Call, CallOutcome, HeadRef } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'

type Estimate = (calls: readonly Call[], head: HeadRef | null) => Promise<readonly CallOutcome[]>

/** A node may have moved on even if we see no new head. */
const MAX_MS = 5_000
const MAX_KEPT = 2_000
const MAX_KEY_LENGTH = 2_048

interface Kept {
  readonly outcome: CallOutcome
  readonly until: number
}

export function createSharedEstimates(estimate: Estimate, clock: Pick<Clock, 'monotonic'>): Estimate {
  let head: string | null = null
  let kept = new Map<string, Kept>()

  function moveTo(next: string | null): void {
    if (next === head) return
    head = next
    kept = new Map()
  }

  function find(key: string | null, now: number): CallOutcome | null {
    const known = key === null ? undefined : kept.get(key)
    return known !== undefined && known.until > now ? known.outcome : null
  }

  return async (calls, ref) => {
    moveTo(ref?.hash ?? null)
    const startedAt = clock.monotonic()
    const keys = calls.map(keyOf)
    const outcomes = keys.map((key) => find(key, startedAt))
    /** What is asked for, and for which of the calls: the first of its kind asks for all. */
    const asked: Call[] = []
    const placeOf = new Map<string, number>()
    const places = calls.map((call, index) => {
      const key = keys[index] ?? null
      if (outcomes[index] !== null) return null
      const place = (key === null ? undefined : placeOf.get(key)) ?? asked.push(call) - 1
      if (key !== null) placeOf.set(key, place)
      return place
    })
    if (asked.length === 0) return outcomes.flatMap((outcome) => outcome ?? [])
    const answers = await estimate(asked, ref)
    const isCurrent = ref !== null && ref.hash === head
    return calls.map((_, index) => {
      const known = outcomes[index] ?? null
      if (known !== null) return known
      const answer = answers[places[index] ?? -1]
      if (answer === undefined) throw new Error('fewer calls were tried than asked for')
      const key = keys[index] ?? null
      if (isCurrent && key !== null && answer.type === 'ok' && kept.size < MAX_KEPT)
        kept.set(key, { outcome: answer, until: startedAt + MAX_MS })
      return answer
    })
  }
}

/** Null for what is too long to be kept. */
function keyOf({ from, to, data, value, gasLimit, accessList }: Call): string | null {
  if (data.length > MAX_KEY_LENGTH) return null
  const list = accessList === undefined ? '' : JSON.stringify(accessList)
  return list.length > MAX_KEY_LENGTH ? null : `${from}|${to}|${value}|${gasLimit}|${data}|${list}`
}
