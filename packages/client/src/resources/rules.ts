/** Spending rules: what a signer or an API key may spend, and how much of it is used. */
import type { RuleSetRequest, Rules } from '../generated/api-types.ts'
import type { CallOptions, Request } from '../transport/operation.ts'

export interface RuleChangeOptions extends CallOptions {
  /** Stored in the audit log. */
  readonly reason?: string
}

export interface SpendingRules {
  /** The rules of a signer; `rules` is null if it has none. */
  ofSigner(address: string, options?: CallOptions): Promise<Rules>
  /** The rules of an API key, by its id. */
  ofKey(id: string, options?: CallOptions): Promise<Rules>
  /** Replaces the rules of a signer. Omitted fields limit nothing. */
  setSigner(address: string, rules: RuleSetRequest, options?: RuleChangeOptions): Promise<Rules>
  /** Replaces the rules of an API key. */
  setKey(id: string, rules: RuleSetRequest, options?: RuleChangeOptions): Promise<Rules>
  /** Removes the rules of a signer, and what is known of its spending. */
  clearSigner(address: string, options?: RuleChangeOptions): Promise<Rules>
  /** Removes the rules of an API key, and what is known of its spending. */
  clearKey(id: string, options?: RuleChangeOptions): Promise<Rules>
}

export function createSpendingRules(request: Request): SpendingRules {
  return {
    ofSigner: (address, options) => request('GET /v1/signers/{address}/rules', { params: { address } }, options),
    ofKey: (id, options) => request('GET /v1/api-keys/{id}/rules', { params: { id } }, options),
    setSigner: (address, body, options) =>
      request('PUT /v1/signers/{address}/rules', { params: { address }, ...queryOf(options), body }, options),
    setKey: (id, body, options) =>
      request('PUT /v1/api-keys/{id}/rules', { params: { id }, ...queryOf(options), body }, options),
    clearSigner: (address, options) =>
      request('DELETE /v1/signers/{address}/rules', { params: { address }, ...queryOf(options) }, options),
    clearKey: (id, options) =>
      request('DELETE /v1/api-keys/{id}/rules', { params: { id }, ...queryOf(options) }, options),
  }
}

function queryOf({ reason }: RuleChangeOptions = {}) {
  return reason === undefined ? {} : { query: { reason } }
}
