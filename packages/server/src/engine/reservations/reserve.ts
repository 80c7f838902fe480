/**
 * Nonces for callers that sign themselves, from any node: requested here, reserved by the lane's owner, and then moved
 * by the caller that has the proof. The proof is returned once, to the caller. Only its digest is stored, bound to the
 * reservation, so neither the database nor a log can act for a holder.
 */
import { createHash, randomBytes } from 'node:crypto'
import { DEFAULT_SHARE_PERCENT, shareOf } from '../../core/access/tenant-share.ts'
import { AppError } from '../../core/app-error.ts'
import type { Hash } from '../../core/hex.ts'
import { type Lane, laneKey } from '../../core/lane/lane.ts'
import { MAX_HASHES, MAX_OPEN_RESERVATIONS, type Reservation, type ReservationId } from '../../core/lane/reservation.ts'
import { type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { HolderAct } from '../../ports/lane-requests.ts'
import type { Store } from '../../ports/store.ts'
import { createRequestAnswers } from './request-answers.ts'

export interface ReserveRequest {
  readonly lane: Lane
  readonly count: number
  /** Null: the service's default duration. */
  readonly ttlMs: number | null
  readonly label: string | null
  readonly requestId: string | null
  /** The tenant that owns the request; omitted or null: the service has no keys. */
  readonly tenant?: string | null
  /** The API key of the caller, by its id and for people; omitted: none. */
  readonly key?: { readonly id: string; readonly holder: string } | null
  /** The caller's own proof; null: one is generated. */
  readonly lockOwner: string | null
}

export interface Reserved {
  readonly type: 'new' | 'existing'
  readonly reservations: readonly Reservation[]
  /** Null if it was generated for an earlier request: it is returned once. */
  readonly lockOwner: string | null
}

export interface Reservations {
  reserve(request: ReserveRequest): Promise<Reserved>
  find(id: ReservationId): Promise<Reservation>
  act(id: ReservationId, lockOwner: string, act: HolderAct): Promise<Reservation>
  close(): void
}

interface ReservePorts {
  readonly store: Pick<
    Store,
    'insertReservations' | 'findReservations' | 'actOnReservation' | 'findTransactionByHash' | 'listen'
  >
  readonly chains: ReadonlyMap<number, Pick<Chain, 'findTransaction'>>
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly timeoutMs?: number
  readonly limits?: ReservationLimits
}

export interface ReservationLimits {
  readonly defaultTtlMs: number
  readonly maxTtlMs: number
  /** One tenant's share of the open reservations of a signer. */
  readonly sharePercent: number
}

const DEFAULT_LIMITS: ReservationLimits = {
  defaultTtlMs: 60_000,
  maxTtlMs: 10 * 60_000,
  sharePercent: DEFAULT_SHARE_PERCENT,
}

export function createReservations(ports: ReservePorts): Reservations {
  const { store, chains, clock, random, timeoutMs = 5_000, limits = DEFAULT_LIMITS } = ports
  const answers = createRequestAnswers<Reservation>({
    store,
    clock,
    timeoutMs,
    find: (ids) => store.findReservations(ids),
    isAnswered: ({ state }) => state !== 'REQUESTED',
  })

  async function reserve(request: ReserveRequest): Promise<Reserved> {
    const { lane, count, label, requestId, tenant, key } = request
    const ttlMs = request.ttlMs ?? Math.min(limits.defaultTtlMs, limits.maxTtlMs)
    checkTtl(ttlMs)
    const lockOwner = request.lockOwner ?? randomBytes(24).toString('base64url')
    const items = Array.from({ length: count }, () => {
      const id = random.id(clock.now())
      return { id, lockOwner: digestOwner(id, lockOwner) }
    })
    const outcome = await store.insertReservations({
      lane,
      items,
      ttlMs,
      label,
      requestId,
      tenant: tenant ?? '',
      ...(key && { key }),
      most: {
        lane: MAX_OPEN_RESERVATIONS,
        tenant: tenant ? shareOf(MAX_OPEN_RESERVATIONS, limits.sharePercent) : MAX_OPEN_RESERVATIONS,
      },
    })
    if (outcome.type === 'too_many') throw tooMany(lane)
    if (outcome.type === 'unknown_signer') {
      throw new AppError('unknown_signer', `${lane.signer} is not registered on chain ${lane.chainId}.`)
    }
    if (outcome.type === 'inserted') {
      const reservations = await answers.wait(outcome.reservations.map(({ id }) => id))
      return { type: 'new', reservations, lockOwner }
    }
    const earlier = outcome.items
    const isSameOwner = earlier.every((item) => item.lockOwner === digestOwner(item.reservation.id, lockOwner))
    const first = earlier[0]?.reservation
    const isSame = earlier.length === count && first?.label === label
    if (!isSame || (request.lockOwner !== null && !isSameOwner)) {
      const message = `Request id ${JSON.stringify(requestId)} was used before with a different body. Use a new id for a new request.`
      throw new AppError('idempotency_conflict', message, { field: 'requestId' })
    }
    const reservations = await answers.wait(earlier.map(({ reservation }) => reservation.id))
    return { type: 'existing', reservations, lockOwner: isSameOwner ? lockOwner : null }
  }

  async function find(id: ReservationId): Promise<Reservation> {
    const [reservation] = await store.findReservations([id])
    if (!reservation) throw notFound(id)
    return reservation
  }

  async function act(id: ReservationId, lockOwner: string, asked: HolderAct): Promise<Reservation> {
    if (asked.type === 'extend') checkTtl(asked.ttlMs)
    if (asked.type === 'use') await checkHash(await find(id), asked.hash)
    const outcome = await store.actOnReservation(id, digestOwner(id, lockOwner), asked)
    switch (outcome?.type) {
      case undefined:
        throw notFound(id)
      case 'done':
        return outcome.reservation
      case 'not_owner':
        throw new AppError('not_lock_owner', 'lockOwner does not match this reservation.', {
          field: 'lockOwner',
        })
      case 'expired':
        throw new AppError('reservation_expired', describeExpiry(outcome.reservation), {
          nonce: outcome.reservation.nonce,
        })
      case 'refused':
        throw refuse(outcome.reservation, asked)
    }
  }

  function checkTtl(ttlMs: number): void {
    if (ttlMs <= limits.maxTtlMs) return
    const message = `ttlMs must be at most ${limits.maxTtlMs} (setting reservationMaxTtl). Extend the reservation before it expires.`
    throw new AppError('invalid_request', message, { field: 'ttlMs', max: limits.maxTtlMs })
  }

  /** A hash that the chain already knows must use this nonce; an unknown hash is checked when it is mined. */
  async function checkHash({ lane, nonce }: Reservation, hash: Hash): Promise<void> {
    const managed = await store.findTransactionByHash(hash)
    if (managed !== null) {
      // The holder may learn nothing about another signer, not even that it is here.
      const isNear = laneKey(managed.intent.lane) === laneKey(lane)
      const whose = isNear ? `part of transaction ${managed.id}` : `not nonce ${nonce} of ${lane.signer}`
      throw new AppError('invalid_request', `${hash} is ${whose}.`, { field: 'hash' })
    }
    try {
      const found = await chains.get(lane.chainId)?.findTransaction(hash)
      if (!found || (found.from === lane.signer && found.nonce === nonce)) return
      const message = `${hash} is nonce ${found.nonce} of ${found.from}, not nonce ${nonce} of ${lane.signer}.`
      throw new AppError('invalid_request', message, { field: 'hash' })
    } catch (error) {
      // The holder must be able to report what it sent while the node is away, or its lock would run out.
      if (!(error instanceof ChainUnavailable)) throw error
    }
  }

  return { reserve, find, act, close: answers.close }
}

/** Useless without the reservation it belongs to, so no one can see that two proofs of a caller are the same. */
function digestOwner(id: ReservationId, lockOwner: string): string {
  return createHash('sha256').update(`${id.toLowerCase()}:${lockOwner}`).digest('hex')
}

function tooMany({ signer, chainId }: Lane): AppError {
  const message = `Too many open reservations of ${signer} on chain ${chainId}. Use or release some of them first.`
  return new AppError('tenant_limit', message, { bound: 'open reservations', retryAfterMs: 1_000 })
}

function notFound(id: ReservationId): AppError {
  return new AppError('not_found', `There is no reservation ${id}.`)
}

function describeExpiry({ nonce, lockedUntil, finalAt }: Reservation): string {
  // The request of a revoked key ends before its time.
  const at = finalAt !== null && finalAt < lockedUntil ? '' : ` at ${new Date(lockedUntil).toISOString()}`
  return nonce === null
    ? `The request expired${at} without a nonce. Reserve again.`
    : `The reservation of nonce ${nonce} expired${at}. Do not send anything with it. Reserve another nonce.`
}

function refuse({ state, nonce, finalAt, hashes }: Reservation, { type }: HolderAct): AppError {
  if (type === 'use' && state === 'USED' && finalAt === null && hashes.length >= MAX_HASHES) {
    const message = `The reservation of nonce ${nonce} has ${hashes.length} hashes, the most that it can have. Drover follows those ${MAX_HASHES}, but not this one.`
    return new AppError('action_forbidden', message, { state, action: type, limit: MAX_HASHES })
  }
  const over = finalAt === null ? '' : ' for good'
  const message = `The reservation${nonce === null ? '' : ` of nonce ${nonce}`} is ${state}${over}. You cannot ${type} it.`
  return new AppError('action_forbidden', message, { state, action: type })
}
