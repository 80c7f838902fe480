/** Signers: the accounts that the service sends from, one lane for each chain. */
import type { Lane, LaneRequest, Signer, SignerChange } from './generated/api-types.ts'
import type { CallOptions, Request } from './operation.ts'

export interface Signers {
  /** One entry for each signer and chain. */
  list(options?: CallOptions): Promise<readonly Lane[]>
  /** One signer on all its chains. Fails with `not_found`. */
  get(address: string, options?: CallOptions): Promise<Signer>
  /** Changes label or policy on one chain. */
  update(address: string, change: SignerChange, options?: CallOptions): Promise<Lane>
  /** Takes no more nonces; what is in flight goes on. */
  pause(address: string, request: LaneRequest, options?: CallOptions): Promise<Lane>
  /** Takes nonces again. */
  resume(address: string, request: LaneRequest, options?: CallOptions): Promise<Lane>
}

export function createSigners(request: Request): Signers {
  return {
    list: async (options) => (await request('GET /v1/signers', {}, options)).items,
    get: (address, options) => request('GET /v1/signers/{address}', { params: { address } }, options),
    update: (address, body, options) => request('PATCH /v1/signers/{address}', { params: { address }, body }, options),
    pause: (address, body, options) =>
      request('POST /v1/signers/{address}/pause', { params: { address }, body }, options),
    resume: (address, body, options) =>
      request('POST /v1/signers/{address}/resume', { params: { address }, body }, options),
  }
}
