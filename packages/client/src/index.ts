/** Typed client for Drover, the transaction manager for EVM chains. */
export type { BlockQuery, Chains } from './chains.ts'
export { createDrover, type Drover, type DroverOptions } from './create-drover.ts'
export {
  type ApiErrorCode,
  type ClientErrorCode,
  DroverError,
  type DroverErrorCode,
  type DroverErrorDetails,
} from './drover-error.ts'
export type { EventOptions } from './events.ts'
export type { Fetch } from './exchange.ts'
export type {
  AmountInput,
  Attempt,
  Block,
  BlockPage,
  Chain,
  Confirmations,
  Event as DroverEvent,
  Explanation,
  Lane,
  LaneRequest,
  Node as DroverNode,
  Problem,
  ResolveRequest,
  Signer,
  SignerChange,
  Transaction,
  TransactionPage,
  TransactionRequest,
} from './generated/api-types.ts'
export type { CallOptions } from './operation.ts'
export type { RetryPolicy } from './retry.ts'
export type { Signers } from './signers.ts'
export type { Stage, Stages } from './stage.ts'
export { toBigInt } from './to-big-int.ts'
export type { TransactionHandle } from './transaction-handle.ts'
export type { Intent, ListOptions, PageOptions, TransactionFilter, Transactions } from './transactions.ts'
export type { RetryNotice } from './transport.ts'
export type { WaitOptions } from './wait-for-stage.ts'
