/** Typed client for Drover, the transaction manager for EVM chains. */
export type { ApiKeyIntent, ApiKeys, AuditCheckOptions, AuditOptions } from './api-keys.ts'
export type { BlockQuery, Chains } from './chains.ts'
export type { Fetch } from './connection.ts'
export { createDrover, type Drover, type DroverOptions } from './create-drover.ts'
export {
  type ApiErrorCode,
  type ClientErrorCode,
  DroverError,
  type DroverErrorCode,
  type DroverErrorDetails,
} from './drover-error.ts'
export type { EventOptions } from './events.ts'
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
  Lane,
  LaneRequest,
  NewApiKey,
  NewWebhook,
  Node as DroverNode,
  NonceReset,
  Problem,
  Receipt,
  Reservation,
  ReservationPage,
  ReservationRequest,
  ResetRequest,
  ResolveRequest,
  Signer,
  SignerChange,
  SignerRegistration,
  TakeBackRequest,
  TakenReservations,
  Transaction,
  TransactionPage,
  TransactionRequest,
  Webhook,
  WebhookChange,
  WebhookRequest,
} from './generated/api-types.ts'
export type { Intent } from './intent.ts'
export type { BlockStreamOptions, ConfirmationOptions } from './live-streams.ts'
export type { NonceStages, Nonces, NonceWaitOptions, ReservedNonces } from './nonces.ts'
export type { Answer, CallOptions, OperationInput, OperationName, Request } from './operation.ts'
export type { RetryPolicy } from './retry.ts'
export type { BatchOptions, BatchResult } from './send-batch.ts'
export type { ReservationQuery, Signers, TakenItems } from './signers.ts'
export type { Stage, Stages } from './stage.ts'
export { toBigInt } from './to-big-int.ts'
export type { HistoryOptions, TransactionHandle } from './transaction-handle.ts'
export type { ListOptions, PageOptions, TransactionFilter, Transactions } from './transactions.ts'
export type { RetryNotice } from './transport.ts'
export type { WaitOptions } from './wait-for-stage.ts'
export type { DeliveryOptions, WebhookEndpoints } from './webhook-endpoints.ts'
