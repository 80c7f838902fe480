/**
 * Calls that name their nonce are accepted in the order of those nonces, whatever order they come in: clients that
 * count by themselves send many at once. A call whose turn it is proceeds immediately, together with those that follow
 * it without a gap. A call that is a little early waits until those below it arrive, here or on another node. A call
 * that is late, or far too early, is refused. An accepted call gets exactly this nonce or none, which the lane
 * guarantees.
 */
import { AppError } from '../core/app-error.ts'
import { describeExactNonce } from '../core/lane/exact-nonce.ts'
import { type Lane, type LaneKey, laneKey } from '../core/lane/lane.ts'
import type { Accepted } from '../engine/accept/accept.ts'
import { type AcceptBatch, OUT_OF_TURN } from '../engine/accept/accept-batch.ts'
import { type AcceptRequest, digestRequest } from '../engine/accept/accept-request.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { RpcFailure } from './rpc-failure.ts'

export interface NonceTurns {
  /** Throws if its turn does not come in time, or never will; then nothing was stored. */
  accept(request: ExactRequest, lane: Lane, timeoutMs: number): Promise<Accepted>
  /** Waiting calls are rejected. */
  close(): void
}

export type ExactRequest = AcceptRequest & { readonly exactNonce: number }

interface TurnPorts {
  readonly acceptBatch: AcceptBatch
  readonly store: Pick<Store, 'listen'>
  readonly clock: Pick<Clock, 'schedule'>
  readNext(lane: Lane): Promise<number>
}

interface Held {
  readonly request: ExactRequest
  readonly outcome: Promise<Accepted>
  settle(answer: PromiseSettledResult<Accepted>): void
  isOver(): boolean
}

interface Line {
  readonly lane: Lane
  /** By nonce; those that are being accepted are not among them. */
  readonly held: Map<number, Held>
  isMoving: boolean
  lookAgain: boolean
  /** As of the last look; null before the first. */
  next: number | null
  cancelPoll(): void
}

/** How far above the next nonce, and those that wait without a gap, a call may be. */
const MAX_AHEAD = 64
const POLL_MS = 1_000

export function createNonceTurns({ acceptBatch, store, clock, readNext }: TurnPorts): NonceTurns {
  const lines = new Map<LaneKey, Line>()
  let isClosed = false
  const unlisten = store.listen((notice) => {
    if (notice.type === 'gap') for (const line of lines.values()) move(line)
    if (notice.type !== 'lane.work') return
    const line = lines.get(laneKey(notice.lane))
    if (line !== undefined) move(line)
  })

  function lineOf(lane: Lane): Line {
    const known = lines.get(laneKey(lane))
    if (known !== undefined) return known
    const line: Line = { lane, held: new Map(), isMoving: false, lookAgain: false, next: null, cancelPoll() {} }
    lines.set(laneKey(lane), line)
    return line
  }

  function move(line: Line): void {
    line.lookAgain = true
    if (line.isMoving) return
    line.isMoving = true
    line.cancelPoll()
    void moveOn(line)
  }

  async function moveOn(line: Line): Promise<void> {
    while (line.lookAgain && line.held.size > 0) {
      line.lookAgain = false
      await advance(line).catch((reason: unknown) => {
        for (const held of takeAll(line)) held.settle({ status: 'rejected', reason })
      })
    }
    line.isMoving = false
    // Notices may be lost; only a few calls wait, and not for long.
    if (line.held.size > 0) line.cancelPoll = clock.schedule(POLL_MS, () => move(line))
    else if (lines.get(laneKey(line.lane)) === line) lines.delete(laneKey(line.lane))
  }

  async function advance(line: Line): Promise<void> {
    const next = await readNext(line.lane)
    line.next = next
    const { run, low, high } = sortOut(line.held, next)
    for (const held of [...run, ...low, ...high]) line.held.delete(held.request.exactNonce)
    for (const held of high) held.settle(refuse('too_high', held, next))
    // A repeat of an earlier request gets its first answer, though its nonce is used by now.
    const late = low.map(({ request }) => ({ ...request, refusal: tooLow(request, next) }))
    const answers = await Promise.all([acceptBatch(late), acceptBatch(run.map(({ request }) => request))])
    for (const [index, held] of [...low, ...run].entries()) {
      const answer = answers.flat()[index] ?? {
        status: 'rejected',
        reason: new Error('a request was left without an answer'),
      }
      if (isOutOfTurn(answer) && !held.isOver()) putBack(line, held)
      else held.settle(answer)
    }
    if (run.length > 0) line.lookAgain = true
  }

  /** One that took its place meanwhile came second. */
  function putBack(line: Line, held: Held): void {
    const { exactNonce: nonce } = held.request
    const second = line.held.get(nonce)
    line.held.set(nonce, held)
    if (second === undefined) return
    shareOutcome(held, second.request).then(
      (value) => second.settle({ status: 'fulfilled', value }),
      (reason: unknown) => second.settle({ status: 'rejected', reason }),
    )
  }

  function accept(request: ExactRequest, lane: Lane, timeoutMs: number): Promise<Accepted> {
    if (isClosed) return Promise.reject(stops())
    const line = lineOf(lane)
    const { exactNonce: nonce } = request
    const first = line.held.get(nonce)
    if (first !== undefined) return shareOutcome(first, request)
    let resolve: (accepted: Accepted) => void = () => {}
    let reject: (reason: unknown) => void = () => {}
    const outcome = new Promise<Accepted>((...settlers) => {
      ;[resolve, reject] = settlers
    })
    let isOver = false
    const held: Held = {
      request,
      outcome,
      isOver: () => isOver,
      settle(answer) {
        cancel()
        if (answer.status === 'fulfilled') resolve(answer.value)
        else reject(answer.reason)
      },
    }
    const cancel = clock.schedule(timeoutMs, () => {
      isOver = true
      // One that is being accepted gets that answer.
      if (line.held.get(nonce) !== held) return
      line.held.delete(nonce)
      held.settle(refuse('too_high', held, line.next ?? 0))
    })
    line.held.set(nonce, held)
    move(line)
    return outcome
  }

  return {
    accept,
    close() {
      isClosed = true
      unlisten()
      const reason = stops()
      for (const line of lines.values()) {
        line.cancelPoll()
        for (const held of takeAll(line)) held.settle({ status: 'rejected', reason })
      }
    },
  }
}

/** A repeat of a call that waits gets the answer of that call. Anything else with its nonce comes too late. */
async function shareOutcome({ request: first, outcome }: Held, second: ExactRequest): Promise<Accepted> {
  const { exactNonce: nonce, requestId } = second
  const isSameId =
    requestId !== null && requestId === first.requestId && (second.tenant ?? null) === (first.tenant ?? null)
  if (!isSameId) {
    const cure = 'leave nonce out, use the next one, or give a repeated call the Idempotency-Key of the first'
    throw new RpcFailure('refused', `nonce too low: another call with nonce ${nonce} is already waiting; ${cure}`)
  }
  if (digestRequest(first) === digestRequest(second)) return outcome
  const message = `Request id ${JSON.stringify(requestId)} was used before with a different body, by a call that waits for its turn. Use a new id for a new request.`
  throw new AppError('idempotency_conflict', message, { field: 'requestId' })
}

function stops(): RpcFailure {
  return new RpcFailure('refused', 'this node is stopping; nothing was stored, so send it again')
}

function takeAll({ held }: Line): readonly Held[] {
  const all = [...held.values()]
  held.clear()
  return all
}

/** `run`: whose turn it is, in order. The rest that is neither late nor too early stays. */
function sortOut(held: ReadonlyMap<number, Held>, next: number) {
  const run: Held[] = []
  for (let nonce = next; ; nonce++) {
    const entry = held.get(nonce)
    if (entry === undefined) break
    run.push(entry)
  }
  const all = [...held.values()]
  return {
    run,
    low: all.filter(({ request }) => request.exactNonce < next),
    high: all.filter(({ request }) => request.exactNonce > next + run.length + MAX_AHEAD),
  }
}

function refuse(verdict: 'too_low' | 'too_high', { request }: Held, next: number): PromiseRejectedResult {
  return { status: 'rejected', reason: new RpcFailure('refused', spell(verdict, request, next)) }
}

function tooLow(request: ExactRequest, next: number): AppError {
  const reason = spell('too_low', request, next)
  return new AppError('transaction_rejected', reason, { outcome: 'nonce', reason })
}

function spell(verdict: 'too_low' | 'too_high', { exactNonce }: ExactRequest, next: number): string {
  return describeExactNonce(verdict, exactNonce, next).message
}

function isOutOfTurn(answer: PromiseSettledResult<Accepted>): boolean {
  return (
    answer.status === 'rejected' && answer.reason instanceof AppError && answer.reason.details.outcome === OUT_OF_TURN
  )
}
