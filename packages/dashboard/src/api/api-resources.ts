/** What the service answers, taken from its own contract: a field that changes there does not compile here. */
export type { EventResource } from '../../../server/src/api/contract/event-resource.ts'
export type { ExplanationResource } from '../../../server/src/api/contract/explanation-resource.ts'
export type { Problem } from '../../../server/src/api/contract/problem.ts'
export type { ReservationResource } from '../../../server/src/api/contract/reservation-resource.ts'
export type { ResetResource } from '../../../server/src/api/contract/reset-resource.ts'
export type { LaneResource } from '../../../server/src/api/contract/signer-resource.ts'
export type { ChainResource, EndpointResource, NodeResource } from '../../../server/src/api/contract/system-resource.ts'
export type { AttemptResource, TransactionResource } from '../../../server/src/api/contract/transaction-resource.ts'

export interface Readiness {
  readonly ready: boolean
  readonly problems: readonly { readonly part: string; readonly message: string; readonly action: string }[]
}
