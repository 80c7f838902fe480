/** Typed client for Drover, the transaction manager for EVM chains. */

export { createDrover, type Drover, type DroverOptions } from './create-drover.ts'
export type {
  AmountInput,
  ApiKey,
  Attempt,
  AuditCheck,
  AuditEntry,
  Block,
  BlockPage,
  Chain,
  ChangedWebhook,
  Confirmations,
  ConfirmationUpdate,
  Delivery,
  Event as DroverEvent,
  Explanation,
  Fees,
  Fire,
  KeyCheck,
  Lane,
  LaneRequest,
  NewApiKey,
  NewWebhook,
  Node as DroverNode,
  NonceReset,
  Problem,
  Receipt,
  Removal,
  RemovalRequest,
  Reservation,
  ReservationPage,
  ReservationRequest,
  ResetRequest,
  ResolveRequest,
  RuleSet,
  RuleSetRequest,
  Rules,
  Signer,
  SignerChange,
  SignerRegistration,
  TakeBackRequest,
  TakenReservations,
  Timer,
  TimerChange,
  TimerParams,
  TimerParamsChange,
  TimerQueue,
  TimerRequest,
  Transaction,
  TransactionPage,
  TransactionRequest,
  Webhook,
  WebhookChange,
  WebhookRequest,
} from './generated/api-types.ts'
export { WAIT_STAGES } from './generated/stage-table.ts'
export type { ApiKeyIntent, ApiKeys, AuditCheckOptions, AuditOptions } from './resources/api-keys.ts'
export type { BlockQuery, Chains } from './resources/chains.ts'
export type { Intent } from './resources/intent.ts'
export type { NonceStages, Nonces, NonceWaitOptions, ReservedNonces } from './resources/nonces.ts'
export type { RuleChangeOptions, SpendingRules } from './resources/rules.ts'
export type { BatchOptions, BatchResult } from './resources/send-batch.ts'
export type { ReservationQuery, Signers, TakenItems } from './resources/signers.ts'
export { assessWait, hasPassed, type Stage, type Stages } from './resources/stage.ts'
export type { TimerFilter, TimerListOptions, Timers } from './resources/timers.ts'
export type { HistoryOptions, TransactionHandle } from './resources/transaction-handle.ts'
export type { ListOptions, PageOptions, TransactionFilter, Transactions } from './resources/transactions.ts'
export type { WaitOptions } from './resources/wait-for-stage.ts'
export type { DeliveryOptions, WebhookEndpoints } from './resources/webhook-endpoints.ts'
export type { EventOptions } from './stream/events.ts'
export type { BlockStreamOptions, ConfirmationOptions } from './stream/live-streams.ts'
export type { Fetch } from './transport/connection.ts'
export {
  type ApiErrorCode,
  type ClientErrorCode,
  DroverError,
  type DroverErrorCode,
  type DroverErrorDetails,
} from './transport/drover-error.ts'
export type { Answer, CallOptions, OperationInput, OperationName, Request } from './transport/operation.ts'
export type { RetryPolicy } from './transport/retry.ts'
export { toBigInt } from './transport/to-big-int.ts'
export type { RetryNotice } from './transport/transport.ts'
