/** Deterministic, fair timers by block height, interval or state change: the CIP-5 kernel and its reference chain. */
export type {
  ActorCancelOutcome,
  ActorContext,
  ActorHandler,
  ActorSetOutcome,
  ActorUpdateOutcome,
  Handlers,
  WakeUp,
} from './chain/actor.ts'
export { type AppliedBlock, applyBlock, type Block, type BlockResult, type ChainRules } from './chain/apply-block.ts'
export { MAX_USE, nextBasefee, type Prices, TARGET_USE } from './chain/basefee.ts'
export type { Account, Actor, ChainState, Message, World } from './chain/chain-state.ts'
export { createChainState, type Genesis } from './chain/create-chain-state.ts'
export { DEMO_HANDLERS } from './chain/demo-actors.ts'
export type { Receipt, RejectionReason } from './chain/receipt.ts'
export { createReferenceChain, type ReferenceChain, type ReferenceChainOptions } from './chain/reference-chain.ts'
export { CYCLE_COSTS, cellsOfTimer } from './chain/resource-costs.ts'
export { type Action, actorAddressOf, type Transaction, transactionIdOf } from './chain/transaction.ts'
export type { Hex } from './kernel/bytes/hex.ts'
export { useKeccak } from './kernel/bytes/keccak.ts'
export type { Keccak256 } from './kernel/bytes/keccak-wasm.ts'
export { type AppliedDelivery, applyDelivery, type Retirement } from './kernel/deliver/apply-delivery.ts'
export {
  type CarriedKeys,
  type DeliverBlock,
  type Delivery,
  type DerivedIndex,
  deliver,
} from './kernel/deliver/deliver.ts'
export { deliverIdOf, type FireIdentity, fireKeyOf } from './kernel/deliver/deliver-id.ts'
export type { Mutation } from './kernel/deliver/list-mutations.ts'
export { type Admission, admitEntries, type KnownEntries } from './kernel/deliver/mailbox.ts'
export { encodeEntry, entryDigestOf, type MailboxEntry, type TriggerContext } from './kernel/deliver/mailbox-entry.ts'
export { type BlockMeasures, measureBlock } from './kernel/deliver/measure-block.ts'
export { type FoundLeaf, type LeafChange, MerkleTrie, type Sibling } from './kernel/merkle/merkle-trie.ts'
export { listLeafChanges, timersRoot } from './kernel/merkle/timer-leaves.ts'
export { type ProvenTimer, proveTimer, type TimerProof, verifyTimerProof } from './kernel/merkle/timer-proof.ts'
export {
  createParamSchedule,
  type EpochParams,
  epochOf,
  type ParamSchedule,
  paramsAt,
  type VoteOutcome,
  voteParams,
} from './kernel/params/param-schedule.ts'
export { type Refusal, TIMER_ERROR_PRECEDENCE, type TimerErrorCode } from './kernel/params/refusal.ts'
export {
  checkParamChange,
  checkParams,
  DEFAULT_PARAMS,
  maxGasLimitPerTimer,
  mergeParams,
  starvationBlocks,
  type TimerParams,
} from './kernel/params/timer-params.ts'
export { escrowOf, type Funds, tipOf } from './kernel/ready/escrow.ts'
export type { Eviction, EvictionReason } from './kernel/ready/eviction.ts'
export { listQueue, type QueuedTimer } from './kernel/ready/list-queue.ts'
export { type CancelOutcome, type CancelTimerArguments, cancelTimer } from './kernel/set/cancel-timer.ts'
export type { IntegerLike } from './kernel/set/read-arguments.ts'
export type {
  SetIntervalArguments,
  SetStateWatchArguments,
  SetTimeoutArguments,
  SetTimerArguments,
} from './kernel/set/set-request.ts'
export {
  type LoggedSet,
  replaySets,
  type SetOutcome,
  setInterval,
  setStateWatch,
  setTimeout,
  setTimer,
} from './kernel/set/set-timer.ts'
export type { TimerCall } from './kernel/set/timer-call.ts'
export { type TimerIdentity, timerIdOf } from './kernel/set/timer-id.ts'
export { type UpdateOutcome, type UpdateTimerArguments, updateTimer } from './kernel/set/update-timer.ts'
export { restoreTimers } from './kernel/snapshot/restore-timers.ts'
export { SNAPSHOT_VERSION, SnapshotError, type SnapshotFault } from './kernel/snapshot/snapshot-frames.ts'
export {
  createSnapshotReader,
  readSnapshot,
  type SnapshotLimits,
  type SnapshotReader,
  writeSnapshot,
} from './kernel/snapshot/snapshot-stream.ts'
export { snapshotTimers, type TimerSnapshot } from './kernel/snapshot/timer-snapshot.ts'
export {
  type DueTimer,
  type HeightTimer,
  type IntervalTimer,
  type MatchedKeys,
  TIMER_VERSION,
  type Timer,
  type TimerKind,
  type WatchTimer,
} from './kernel/state/timer.ts'
export {
  addTarget,
  createTimerState,
  removeTarget,
  type TimerState,
  type TimerStateOptions,
  type Tombstone,
} from './kernel/state/timer-state.ts'
export { diffMaps } from './kernel/tree/ordered-map.ts'
export { findWatchedPrefix } from './kernel/watch/index-watch.ts'
export type { WatchClipped, WatchWork } from './kernel/watch/match-watches.ts'
export { type CronOutcome, type CronSchedule, findNextTime, parseCron } from './sdk/cron.ts'
export { type CronClock, type HeightWindow, listCronWindows } from './sdk/cron-windows.ts'
export {
  type Migration,
  type MigrationPoint,
  migrateTimer,
  migrateTimers,
  type OldTimerSnapshot,
  type StateMigration,
  type TimeTimer,
} from './sdk/migrate-timers.ts'
export {
  afterMinutes,
  type BlockClock,
  blocksInMinutes,
  everyMinutes,
  type HeightClock,
  InvalidParamError,
} from './sdk/minutes.ts'
export type { BlockMeasure } from './simulate/block-measure.ts'
export { CONGESTION_DEMO } from './simulate/congestion-demo.ts'
export type { FieldProblem } from './simulate/field-reader.ts'
export { parseScenario, type ScenarioOutcome } from './simulate/parse-scenario.ts'
export { type PlanReport, runScenario, type SimulationReport } from './simulate/run-scenario.ts'
export type { Scenario } from './simulate/scenario.ts'
export { type Simulation, simulateTimers } from './simulate/simulate.ts'
