/**
 * Accepts several requests at once and answers each one separately.
 *
 * Each request is looked up and simulated like a single one, in parallel with the others, so these steps share their
 * round trips. Requests that pass wait for the rest. Then Drover stores all of them together and queues them in batch
 * order. If a request has the same key as an earlier one in the batch, it starts only after that one has its answer:
 * the two behave like two requests in sequence, not like a race.
 */
import { NO_LONGER_ALLOWED } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { NewTransaction } from '../../ports/store.ts'
import type { Tenant } from '../tenants/tenant-pool.ts'
import type { Accept, Accepted } from './accept.ts'
import type { AcceptRequest } from './accept-request.ts'
import type { Intake, IntakeOutcome } from './intake.ts'

/**
 * One answer per request, in order. If the caller goes before they are stored, none is: nobody would learn how they
 * ended, and whoever sends them again is not made to wait for them.
 */
export type AcceptBatch = (
  requests: readonly AcceptRequest[],
  gone?: { readonly aborted: boolean },
) => Promise<readonly PromiseSettledResult<Accepted>[]>

/** The reason in a refusal when only an earlier request of the same batch was in the way. */
export const OUT_OF_TURN = 'out_of_turn'

interface AcceptBatchPorts {
  readonly accept: Accept
  readonly intake: Pick<Intake, 'submitTogether'>
  /** Yields to other work: a long batch is processed in parts. */
  rest?(tenant: Tenant): Promise<void>
  /** Several tenants are active, so it yields more often. */
  isCrowded?(): boolean
  /** Whether this API key still counts. A batch may take long, and a call may have waited for its nonce. */
  isAllowed?(sender: { readonly keyId: string }): Promise<boolean>
}

type IsAllowed = NonNullable<AcceptBatchPorts['isAllowed']>

const HERE = { aborted: false }

/** Requests per look-up round trip. */
const PART = 250
const SMALL_PART = 25

/** Made once: nobody reads it, and a thousand errors with stacks take a while. */
const HAS_GONE = new AppError(
  'overloaded',
  'The caller disconnected before the batch was stored. Nothing of it was stored.',
)

export function createAcceptBatch(ports: AcceptBatchPorts): AcceptBatch {
  const { accept, rest, isCrowded } = ports
  return async (requests, gone = HERE) => {
    const keys = requests.map(keyOf)
    const keyed = keys.filter((key) => key !== null)
    const repeats = keyed.length - new Set(keyed).size
    const gathering = createGathering(requests, requests.length - repeats, { ...ports, gone })
    const lastOf = new Map<string, Promise<unknown>>()
    const answers: Promise<PromiseSettledResult<Accepted>[]>[] = []
    const part = isCrowded?.() === true ? SMALL_PART : PART
    for (const [place, request] of requests.entries()) {
      if (place > 0 && place % part === 0 && !gone.aborted) await rest?.(request.tenant ?? null)
      const key = keys[place] ?? null
      const before = key === null ? undefined : lastOf.get(key)
      const start: Accept = gone.aborted ? () => Promise.reject(HAS_GONE) : accept
      const answer = before === undefined ? gathering.join(place, request, start) : acceptAfter(before, request, start)
      if (key !== null) lastOf.set(key, answer)
      // If a request fails before the last one has started, its rejection must not go unhandled.
      answers.push(Promise.allSettled([answer]))
    }
    return (await Promise.all(answers)).flat()
  }
}

/** Ignores the chain: if a request does not name it there is only one, and an unnecessary wait does no harm. */
function keyOf({ from, requestId }: AcceptRequest): string | null {
  return requestId === null ? null : `${from} ${requestId}`
}

async function acceptAfter(before: Promise<unknown>, request: AcceptRequest, accept: Accept): Promise<Accepted> {
  // The earlier request's result is its own answer; this one is judged afresh.
  await Promise.allSettled([before])
  return accept(request)
}

interface Gathered {
  readonly item: NewTransaction
  answer(outcome: Promise<IntakeOutcome>): void
}

interface GatheringPorts extends Pick<AcceptBatchPorts, 'intake' | 'isAllowed'> {
  readonly gone: { readonly aborted: boolean }
}

/** Holds requests that are ready to be stored until every request is ready or has failed. */
function createGathering(
  requests: readonly AcceptRequest[],
  expected: number,
  { intake, isAllowed, gone }: GatheringPorts,
) {
  const gathered = new Map<number, Gathered>()
  let missing = expected

  function settleOne(): void {
    missing -= 1
    if (missing > 0) return
    if (gone.aborted) {
      for (const { answer } of gathered.values()) answer(Promise.reject(HAS_GONE))
      return
    }
    const keyIds = new Set(requests.flatMap(({ keyId }) => keyId ?? []))
    if (isAllowed === undefined || keyIds.size === 0) submit(gathered)
    else void refuseEnded(keyIds, isAllowed).then(submit)
  }

  function submit(ready: ReadonlyMap<number, Gathered>): void {
    const inOrder = keepTurns(requests, ready)
    const outcomes = intake.submitTogether(inOrder.map(({ item }) => item))
    for (const [index, outcome] of outcomes.entries()) inOrder[index]?.answer(outcome)
  }

  /** What belongs to a key that has ended is refused. So is what belongs to one that cannot be looked up now. */
  async function refuseEnded(
    keyIds: ReadonlySet<string>,
    isAllowed: IsAllowed,
  ): Promise<ReadonlyMap<number, Gathered>> {
    const left = new Map(gathered)
    for (const keyId of keyIds) {
      const refusal = await findRefusal(keyId, isAllowed)
      if (refusal === null) continue
      for (const [place, { answer }] of gathered) {
        if (requests[place]?.keyId !== keyId) continue
        left.delete(place)
        answer(Promise.reject(refusal))
      }
    }
    return left
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

async function findRefusal(keyId: string, isAllowed: IsAllowed): Promise<unknown> {
  try {
    return (await isAllowed({ keyId })) ? null : new AppError('unauthorized', NO_LONGER_ALLOWED)
  } catch (error) {
    return error
  }
}

/**
 * The requests to store, in order. If a request with an explicit nonce failed, later ones of the same signer with explicit
 * nonces would lack it below them. They are refused and can be sent again once the nonce is used.
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
