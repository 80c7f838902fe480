/** Signers: the accounts that the service sends from, one lane for each chain. */
import type {
  KeyCheck,
  Lane,
  LaneRequest,
  NonceReset,
  Removal,
  RemovalRequest,
  ReservationPage,
  ResetRequest,
  Signer,
  SignerChange,
  SignerRegistration,
  TakeBackRequest,
  TakenReservations,
} from '../generated/api-types.ts'
import type { CallOptions } from '../transport/operation.ts'
import { createTransactionHandle, type HandlePorts, type TransactionHandle } from './transaction-handle.ts'

export interface Signers {
  /** One entry for each signer and chain. */
  list(options?: CallOptions): Promise<readonly Lane[]>
  /** One signer on all its chains. Fails with `not_found`. */
  get(address: string, options?: CallOptions): Promise<Signer>
  /** Adds a signer on one chain; the service must have its key, or creates one (`createKey`). Fails with `signer_exists` where it is there already. */
  register(signer: SignerRegistration, options?: CallOptions): Promise<Lane>
  /** Signs a challenge with its key and recovers the address. Sends nothing. */
  verify(address: string, options?: CallOptions): Promise<KeyCheck>
  /** Removes it from all chains, and its key from the database. Fails with `signer_busy` while something is open. */
  remove(address: string, request: RemovalRequest, options?: CallOptions): Promise<Removal>
  /** Changes label or policy on one chain. */
  update(address: string, change: SignerChange, options?: CallOptions): Promise<Lane>
  /** Stops taking nonces; transactions in flight continue. */
  pause(address: string, request: LaneRequest, options?: CallOptions): Promise<Lane>
  /** Takes nonces again. */
  resume(address: string, request: LaneRequest, options?: CallOptions): Promise<Lane>
  /**
   * Moves its next nonce to the chain's count, unless a live transaction is in the way. With `cancelInFlight`
   * everything in flight is cancelled first; `reset` shows the progress.
   */
  resetNonce(address: string, request: ResetRequest, options?: CallOptions): Promise<NonceReset>
  /** A request to reset its nonce, with how many transactions are cancelled and left. */
  reset(address: string, id: string, options?: CallOptions): Promise<NonceReset>
  /**
   * Closes gaps below assigned nonces with empty transactions to itself, one for each. Refused if there are no gaps.
   */
  fillGap(address: string, request: LaneRequest, options?: CallOptions): Promise<readonly TransactionHandle[]>
  /** The open reservations of its nonces, lowest nonce first. */
  listReservations(address: string, page?: ReservationQuery, options?: CallOptions): Promise<ReservationPage>
  /** Takes reserved nonces back from their holders: unused ones are free again, abandoned ones are filled. */
  releaseReservations(address: string, request: TakeBackRequest, options?: CallOptions): Promise<TakenItems>
  /** Fills reserved nonces with empty transactions. */
  fillReservations(address: string, request: TakeBackRequest, options?: CallOptions): Promise<TakenItems>
}

/** The outcome of each. */
export type TakenItems = TakenReservations['items']

export interface ReservationQuery {
  readonly chainId?: number
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

export function createSigners(ports: HandlePorts): Signers {
  const { request } = ports
  return {
    list: async (options) => (await request('GET /v1/signers', {}, options)).items,
    get: (address, options) => request('GET /v1/signers/{address}', { params: { address } }, options),
    register: (body, options) => request('POST /v1/signers', { body }, options),
    update: (address, body, options) => request('PATCH /v1/signers/{address}', { params: { address }, body }, options),
    verify: (address, options) => request('POST /v1/signers/{address}/verify', { params: { address } }, options),
    remove: (address, body, options) =>
      request('POST /v1/signers/{address}/remove', { params: { address }, body }, options),
    pause: (address, body, options) =>
      request('POST /v1/signers/{address}/pause', { params: { address }, body }, options),
    resume: (address, body, options) =>
      request('POST /v1/signers/{address}/resume', { params: { address }, body }, options),
    resetNonce: (address, body, options) =>
      request('POST /v1/signers/{address}/reset-nonce', { params: { address }, body }, options),
    reset: (address, id, options) =>
      request('GET /v1/signers/{address}/resets/{id}', { params: { address, id } }, options),
    async fillGap(address, body, options) {
      const { items } = await request('POST /v1/signers/{address}/fill-gap', { params: { address }, body }, options)
      return items.map((fill) => createTransactionHandle(ports, fill))
    },
    listReservations: (address, query = {}, options) =>
      request('GET /v1/signers/{address}/nonces', { params: { address }, query: { ...query } }, options),
    releaseReservations: async (address, body, options) =>
      (await request('POST /v1/signers/{address}/nonces/release', { params: { address }, body }, options)).items,
    fillReservations: async (address, body, options) =>
      (await request('POST /v1/signers/{address}/nonces/fill', { params: { address }, body }, options)).items,
  }
}
