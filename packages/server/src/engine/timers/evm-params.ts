/** The kernel's parameters on an EVM chain, where the kernel does not differ from the design: what a caller may set is checked by the kernel. */
import {
  createParamSchedule,
  DEFAULT_PARAMS,
  type EpochParams,
  type ParamSchedule,
  type TimerParams,
} from '@drover/timers'
import { MAX_TIMER_GAS } from '../../core/timer/timer.ts'

/** Blocks per epoch: a parameter change takes effect at the first block of the next one. */
const EPOCH_BLOCKS = 64n

/** Owners are signers and targets are contracts, so every timer is foreign to its target. */
const EVM_PARAMS: TimerParams = {
  ...DEFAULT_PARAMS,
  maxFiresPerBlock: 100,
  maxFiresPerTarget: 32,
  minGasLimitPerTimer: 21_000n,
  // The kernel gives one timer an eighth of it at most.
  timerLaneCycles: 8n * MAX_TIMER_GAS,
  maxPayloadSize: 16_384,
  maxTimersPerOwner: 100_000,
  maxTimersPerTarget: 200_000,
}

export function createEvmParams(): ParamSchedule {
  return createParamSchedule(EPOCH_BLOCKS, EVM_PARAMS)
}

const MOST = 2 ** 32 - 1

/** Quotas apply to new requests. Accepted commands stay accepted, even if another branch of the chain is replayed. */
export function liftQuotas(params: TimerParams): TimerParams {
  return { ...params, maxTimersPerOwner: MOST, maxTimersPerTarget: MOST, maxWatchersPerPrefix: MOST }
}

/** JSON: the kernel's bigints become strings. */
export function storeParams({ epochLength, active, next }: ParamSchedule): unknown {
  return {
    epochLength: epochLength.toString(),
    active: storeEpoch(active),
    next: next === null ? null : storeEpoch(next),
  }
}

function storeEpoch({ fromEpoch, params }: EpochParams) {
  return { fromEpoch: fromEpoch.toString(), params: presentParams(params) }
}

export function presentParams(params: TimerParams): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? value.toString() : Array.isArray(value) ? value.map(String) : value,
    ]),
  )
}

export function restoreParams(stored: unknown): ParamSchedule {
  const { epochLength, active, next } = stored as {
    epochLength: string
    active: StoredEpoch
    next: StoredEpoch | null
  }
  return {
    epochLength: BigInt(epochLength),
    active: restoreEpoch(active),
    next: next === null ? null : restoreEpoch(next),
  }
}

interface StoredEpoch {
  readonly fromEpoch: string
  readonly params: Readonly<Record<string, unknown>>
}

function restoreEpoch({ fromEpoch, params }: StoredEpoch): EpochParams {
  return { fromEpoch: BigInt(fromEpoch), params: { ...EVM_PARAMS, ...readParamChange(params) } as TimerParams }
}

/** Converts JSON to the kernel's types; values that cannot be read stay as they are, for the kernel to refuse. */
export function readParamChange(change: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(change).map(([name, value]) => [name, readParam(name, value)]))
}

function readParam(name: string, value: unknown): unknown {
  const sample: unknown = Object.hasOwn(DEFAULT_PARAMS, name) ? DEFAULT_PARAMS[name as keyof TimerParams] : undefined
  if (Array.isArray(sample)) return Array.isArray(value) ? value.map((item) => toBigInt(item)) : value
  if (typeof sample === 'bigint') return toBigInt(value)
  return value
}

function toBigInt(value: unknown): unknown {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  return typeof value === 'string' && /^-?\d{1,80}$/.test(value) ? BigInt(value) : value
}
