/** Nonces reserved by a caller that signs and sends its own transactions. */

import type { Reservation, ReservationRequest } from '../generated/api-types.ts'
import { backOff } from '../generated/back-off.ts'
import { createRequestId } from '../transport/create-request-id.ts'
import { startDeadline } from '../transport/deadline.ts'
import { delay } from '../transport/delay.ts'
import { DroverError } from '../transport/drover-error.ts'
import type { CallOptions, Request } from '../transport/operation.ts'

export interface ReservedNonces {
  /** Reservations whose `nonce` is still null wait for a free slot; `wait` waits with them. */
  readonly items: readonly Reservation[]
  /** Anyone with this proof may act on them. Keep it if another process needs to. */
  readonly lockOwner: string
}

/** What is certain once a stage is reached. */
export interface NonceStages {
  readonly reserved: Reservation & { readonly nonce: number }
  readonly final: Reservation & { readonly finalAt: string }
}

export interface NonceWaitOptions extends CallOptions {
  /** After this time it fails with `wait_timeout`; the reservation continues. Default: no limit. */
  readonly timeoutMs?: number
}

export interface Nonces {
  /** Reserves nonces. If you pass no id and proof, the client generates both, so a retry is safe. */
  reserve(address: string, request: ReservationRequest, options?: CallOptions): Promise<ReservedNonces>
  get(id: string, options?: CallOptions): Promise<Reservation>
  /** Says which transaction was sent with it; it is then followed to finality. */
  use(
    id: string,
    act: { readonly lockOwner: string; readonly hash: string },
    options?: CallOptions,
  ): Promise<Reservation>
  /** Keeps it for at least this much longer. */
  extend(
    id: string,
    act: { readonly lockOwner: string; readonly ttlMs: number },
    options?: CallOptions,
  ): Promise<Reservation>
  /** Releases it. Nothing may have been sent with it. */
  release(id: string, act: { readonly lockOwner: string }, options?: CallOptions): Promise<Reservation>
  /** Waits until it has a nonce (`reserved`), or until nothing about it changes any more (`final`). */
  wait<S extends keyof NonceStages>(id: string, stage: S, options?: NonceWaitOptions): Promise<NonceStages[S]>
}

const PAUSES = { first: 200, max: 3_000, factor: 1.4 }

export function createNonces(request: Request): Nonces {
  const get: Nonces['get'] = (id, options) => request('GET /v1/nonces/{id}', { params: { id } }, options)
  return {
    get,
    async reserve(address, given, options) {
      const requestId = given.requestId ?? createRequestId()
      // 244 random bits: impossible to guess, and a lost response can be requested again.
      const lockOwner = given.lockOwner ?? `${createRequestId()}${createRequestId()}`
      const input = { params: { address }, body: { ...given, requestId, lockOwner } }
      const { items } = await request('POST /v1/signers/{address}/nonces', input, options)
      return { items, lockOwner }
    },
    use: (id, body, options) => request('POST /v1/nonces/{id}/use', { params: { id }, body }, options),
    extend: (id, body, options) => request('POST /v1/nonces/{id}/extend', { params: { id }, body }, options),
    release: (id, body, options) => request('POST /v1/nonces/{id}/release', { params: { id }, body }, options),
    async wait(id, stage, { signal, timeoutMs } = {}) {
      const deadline = startDeadline({ signal, timeoutMs, reason: () => tookTooLong(id, stage, timeoutMs ?? 0) })
      try {
        for (let looks = 1; ; looks++) {
          const reservation = await get(id, { signal: deadline.signal })
          if (hasReached(reservation, stage)) return reservation
          if (stage === 'reserved' && reservation.state !== 'REQUESTED') throw ended(reservation)
          await delay(backOff(looks, PAUSES), deadline.signal)
        }
      } finally {
        deadline.close()
      }
    },
  }
}

function hasReached<S extends keyof NonceStages>(seen: Reservation, stage: S): seen is NonceStages[S] {
  return stage === 'final' ? seen.finalAt !== null : seen.nonce !== null
}

function tookTooLong(id: string, stage: string, timeoutMs: number): DroverError {
  const detail = `The reservation ${id} is not ${stage} within ${timeoutMs} ms. It goes on.`
  return new DroverError({ code: 'wait_timeout', detail })
}

function ended({ id, state }: Reservation): DroverError {
  const detail = `The reservation ${id} is ${state} and never got a nonce; reserve another.`
  return new DroverError({ code: 'reservation_expired', detail })
}
