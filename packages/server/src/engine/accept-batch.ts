/**
 * Acceptance of several requests at once, each with an answer of its own.
 *
 * Each is looked up and simulated like a single one, side by side with the others, so that these steps share their round
 * trips. Whoever gets through waits for the rest; then all of them are stored together, and their places in the queue are
 * those that they had in the batch. A request with the same key as one before it in the batch is taken up only after that
 * one has its answer: together they behave like two requests, one after the other, and not like a race.
 */
import type { NewTransaction } from '../ports/store.ts'
import type { Accept, Accepted } from './accept.ts'
import type { AcceptRequest } from './accept-request.ts'
import type { Intake, IntakeOutcome } from './intake.ts'

/** An answer for each, in order. */
export type AcceptBatch = (requests: readonly AcceptRequest[]) => Promise<readonly PromiseSettledResult<Accepted>[]>

interface AcceptBatchPorts {
  readonly accept: Accept
  readonly intake: Pick<Intake, 'submitTogether'>
}

export function createAcceptBatch({ accept, intake }: AcceptBatchPorts): AcceptBatch {
  return (requests) => {
    const keys = requests.map(keyOf)
    const keyed = keys.filter((key) => key !== null)
    const repeats = keyed.length - new Set(keyed).size
    const gathering = createGathering(requests.length - repeats, intake)
    const lastOf = new Map<string, Promise<unknown>>()
    const answers = requests.map((request, place) => {
      const key = keys[place] ?? null
      const before = key === null ? undefined : lastOf.get(key)
      const answer =
        before === undefined ? gathering.join(place, request, accept) : acceptAfter(before, request, accept)
      if (key !== null) lastOf.set(key, answer)
      return answer
    })
    return Promise.allSettled(answers)
  }
}

/** The chain is left out: where it is not named there is only one, and to wait without need does no harm. */
function keyOf({ from, requestId }: AcceptRequest): string | null {
  return requestId === null ? null : `${from} ${requestId}`
}

async function acceptAfter(before: Promise<unknown>, request: AcceptRequest, accept: Accept): Promise<Accepted> {
  // However the one before ended is its own answer; this one is judged anew.
  await Promise.allSettled([before])
  return accept(request)
}

interface Gathered {
  readonly item: NewTransaction
  answer(outcome: Promise<IntakeOutcome>): void
}

/** Holds back what is ready to be stored until everybody has come or has fallen out on the way. */
function createGathering(expected: number, intake: Pick<Intake, 'submitTogether'>) {
  const gathered = new Map<number, Gathered>()
  let missing = expected

  function settleOne(): void {
    missing -= 1
    if (missing > 0) return
    const inOrder = [...gathered].sort(([a], [b]) => a - b).map(([, entry]) => entry)
    const outcomes = intake.submitTogether(inOrder.map(({ item }) => item))
    for (const [index, outcome] of outcomes.entries()) inOrder[index]?.answer(outcome)
  }

  return {
    join(place: number, request: AcceptRequest, accept: Accept): Promise<Accepted> {
      const submit = (item: NewTransaction) =>
        new Promise<IntakeOutcome>((answer) => {
          gathered.set(place, { item, answer })
          settleOne()
        })
      return accept(request, submit).finally(() => {
        if (!gathered.has(place)) settleOne()
      })
    },
  }
}
