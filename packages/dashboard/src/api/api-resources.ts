/** What the service answers, taken from its own contract: a field that changes there does not compile here. */
export type {
  ApiKeyResource,
  AuditResource,
} from '../../../server/src/api/contract/resources/api-key-resource.ts'
export type { CallerResource } from '../../../server/src/api/contract/resources/caller-resource.ts'
export type { ConfirmationsResource } from '../../../server/src/api/contract/resources/confirmations-resource.ts'
export type { EventResource } from '../../../server/src/api/contract/resources/event-resource.ts'
export type { ExplanationResource } from '../../../server/src/api/contract/resources/explanation-resource.ts'

export type { FeesResource } from '../../../server/src/api/contract/resources/fees-resource.ts'
export type { ReceiptWithLogs } from '../../../server/src/api/contract/resources/receipt-resource.ts'
export type { ReservationResource } from '../../../server/src/api/contract/resources/reservation-resource.ts'
export type { ResetResource } from '../../../server/src/api/contract/resources/reset-resource.ts'
export type { RulesResource } from '../../../server/src/api/contract/resources/rules-resource.ts'
export type { KeyCheckResource, LaneResource } from '../../../server/src/api/contract/resources/signer-resource.ts'
export type {
  ChainResource,
  EndpointResource,
  NodeResource,
} from '../../../server/src/api/contract/resources/system-resource.ts'
export type { TimerQueueResource, TimerResource } from '../../../server/src/api/contract/resources/timer-resource.ts'
export type {
  AttemptResource,
  TransactionResource,
} from '../../../server/src/api/contract/resources/transaction-resource.ts'
export type { DeliveryResource, WebhookResource } from '../../../server/src/api/contract/resources/webhook-resource.ts'
export type { Problem } from '../../../server/src/api/contract/values/problem.ts'

export interface Readiness {
  readonly ready: boolean
  readonly problems: readonly {
    readonly part: string
    readonly message: string
    readonly action: string
    readonly runbook: string | null
  }[]
}
