/**
 * Acceptance of several requests at once, each with an answer of its own.
 *
 * Each is looked up and simulated like a single one, side by side with the others, so that these steps share their round
 * trips. Whoever gets through waits for the rest; then all of them are stored together, and their places in the queue are
 * those that they had in the batch. A request with the same key as one before it in the batch is taken up only after that
 * one has its answer: together they behave like two requests, one after the other, and not like a race.
 */
import { AppError } from '../../core/app-error.ts'
import type { NewTransaction } from '../../ports/store.ts'
import type { Tenant } from '../tenants/tenant-pool.ts'
import type { Accept, Accepted } from './accept.ts'
import type { AcceptRequest } from './accept-request.ts'
import type { Intake, IntakeOutcome } from './intake.ts'

/** An answer for each, in order. */
export type AcceptBatch = (requests: readonly AcceptRequest[]) => Promise<readonly PromiseSettledResult<Accepted>[]>

/** How a refusal says that only an earlier one of the same batch stood in the way. */
export const OUT_OF_TURN = 'out_of_turn'

interface AcceptBatchPorts {
  readonly accept: Accept
  readonly intake: Pick<Intake, 'submitTogether'>
  /** Lets others have their turn: a long batch is taken up in parts. */
  rest?(tenant: Tenant): Promise<void>
}

/** Looked up in one round trip each. */
const PART = 250

export function createAcceptBatch({ accept, intake, rest }: AcceptBatchPorts): AcceptBatch {
  return async (requests) => {
    const keys = requests.map(keyOf)
    const keyed = keys.filter((key) => key !== null)
    const repeats = keyed.length - new Set(keyed).size
    const gathering = createGathering(requests, requests.length - repeats, intake)
    const lastOf = new Map<string, Promise<unknown>>()
    const answers: Promise<PromiseSettledResult<Accepted>[]>[] = []
    for (const [place, request] of requests.entries()) {
      if (place > 0 && place % PART === 0) await rest?.(request.tenant ?? null)
      const key = keys[place] ?? null
      const before = key === null ? undefined : lastOf.get(key)
      const answer =
        before === undefined ? gathering.join(place, request, accept) : acceptAfter(before, request, accept)
      if (key !== null) lastOf.set(key, answer)
      // One that is refused before the last was taken up is not left without anybody who looks at it.
      answers.push(Promise.allSettled([answer]))
    }
    return (await Promise.all(answers)).flat()
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
function createGathering(requests: readonly AcceptRequest[], expected: number, intake: Pick<Intake, 'submitTogether'>) {
  const gathered = new Map<number, Gathered>()
  let missing = expected

  function settleOne(): void {
    missing -= 1
    if (missing > 0) return
    const inOrder = keepTurns(requests, gathered)
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

/**
 * Those that are to be stored, in order. Where one with a nonce of its own has fallen out, those of the same signer behind
 * it that chose their nonces too would miss them: they are turned away, and may be sent again once the nonce is used.
 */
function keepTurns(requests: readonly AcceptRequest[], gathered: ReadonlyMap<number, Gathered>): readonly Gathered[] {
  const broken = new Set<string>()
  const kept: Gathered[] = []
  for (const [place, { from, exactNonce }] of requests.entries()) {
    const entry = gathered.get(place)
    if (entry === undefined) {
      if (exactNonce !== undefined) broken.add(from)
    } else if (exactNonce !== undefined && broken.has(from)) entry.answer(Promise.reject(outOfTurn(exactNonce)))
    else kept.push(entry)
  }
  return kept
}

function outOfTurn(nonce: number): AppError {
  const reason = `nonce too high: a transaction before nonce ${nonce} was refused`
  return new AppError('transaction_rejected', `It was not stored: ${reason}.`, { outcome: OUT_OF_TURN, reason })
}
