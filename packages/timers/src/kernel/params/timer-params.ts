/** Governance parameters of §13, their defaults, and the checks that keep every accepted set safe. */
import { U8_MAX, U32_MAX, U64_MAX, U128_MAX } from '../bytes/limits.ts'
import { type Refusal, refuse } from './refusal.ts'

export interface TimerParams {
  /** Zero is an emergency stop: nothing fires, everything ages. */
  readonly maxFiresPerBlock: number
  readonly maxFiresPerTarget: number
  /** Q32.96 per block of waiting. */
  readonly wAge: bigint
  /** Integer factor of the Q32.96 bid. */
  readonly wBid: bigint
  /** Q32.96 per rank, zero or negative; small, since it counts into the no-starvation bound. */
  readonly wFifo: bigint
  readonly minBid: bigint
  readonly maxBid: bigint
  /** Ascending bid bounds of the priority buckets; none puts all timers into bucket 0. */
  readonly bucketBounds: readonly bigint[]
  readonly maxStarvationBlocks: bigint
  readonly minGasLimitPerTimer: bigint
  readonly timerLaneCycles: bigint
  readonly maxCellsPerFire: bigint
  readonly maxPayloadSize: number
  readonly maxTimersPerOwner: number
  readonly maxTimersPerTarget: number
  readonly foreignTimers: boolean
  readonly isolateUpdates: boolean
  /** Zero never retires a failing interval. */
  readonly maxConsecutiveFailures: number
  readonly dedupWindow: bigint
  readonly maxWatchKeys: number
  readonly maxWatchersPerPrefix: number
  readonly maxMatchedKeys: number
  readonly maxWatchMatchesPerBlock: number
  readonly maxCarryKeys: number
}

export const DEFAULT_PARAMS: TimerParams = {
  maxFiresPerBlock: 1_000,
  maxFiresPerTarget: 16,
  wAge: 1n << 90n,
  wBid: 1n,
  wFifo: 0n,
  minBid: 0n,
  maxBid: 1n << 96n,
  bucketBounds: [],
  maxStarvationBlocks: 1_024n,
  minGasLimitPerTimer: 10_000n,
  timerLaneCycles: 2_000_000n,
  maxCellsPerFire: 16_384n,
  maxPayloadSize: 4_096,
  maxTimersPerOwner: 1_024,
  maxTimersPerTarget: 1_024,
  foreignTimers: true,
  isolateUpdates: false,
  maxConsecutiveFailures: 0,
  dedupWindow: 10_000n,
  maxWatchKeys: 16,
  maxWatchersPerPrefix: 512,
  maxMatchedKeys: 64,
  maxWatchMatchesPerBlock: 10_000,
  maxCarryKeys: 10_000,
}

const INTEGER_RANGES: { readonly [K in keyof TimerParams]?: readonly [bigint, bigint] } = {
  maxFiresPerBlock: [0n, BigInt(U32_MAX)],
  maxFiresPerTarget: [1n, BigInt(U32_MAX)],
  wAge: [1n, U128_MAX],
  wBid: [0n, U64_MAX],
  wFifo: [-U128_MAX, 0n],
  minBid: [0n, U128_MAX],
  maxBid: [0n, U128_MAX],
  maxStarvationBlocks: [0n, U64_MAX],
  minGasLimitPerTimer: [0n, U64_MAX],
  timerLaneCycles: [8n, U64_MAX],
  maxCellsPerFire: [0n, U64_MAX],
  maxPayloadSize: [0n, BigInt(U32_MAX)],
  maxTimersPerOwner: [0n, BigInt(U32_MAX)],
  maxTimersPerTarget: [0n, BigInt(U32_MAX)],
  maxConsecutiveFailures: [0n, BigInt(U32_MAX)],
  dedupWindow: [0n, U64_MAX],
  maxWatchKeys: [1n, 65_535n],
  maxWatchersPerPrefix: [1n, BigInt(U32_MAX)],
  maxMatchedKeys: [0n, 65_535n],
  maxWatchMatchesPerBlock: [1n, BigInt(U32_MAX)],
  maxCarryKeys: [0n, BigInt(U32_MAX)],
}

/**
 * Blocks after which nothing that comes due later can overtake a waiting timer: the no-starvation bound N*.
 *
 * Ranks count as well as bids. An interval keeps its rank through all its fires, so with a W_fifo below zero an old one
 * would win against every younger timer for as long as their ranks lie apart.
 */
export function starvationBlocks(params: Pick<TimerParams, 'wAge' | 'wBid' | 'wFifo' | 'minBid' | 'maxBid'>): bigint {
  const reach = params.wBid * (params.maxBid - params.minBid) - params.wFifo * U64_MAX
  return (reach + params.wAge - 1n) / params.wAge
}

/** The most gas one timer may ask for, so that a lane always holds several. */
export function maxGasLimitPerTimer(params: Pick<TimerParams, 'timerLaneCycles'>): bigint {
  return params.timerLaneCycles / 8n
}

/** Applies a change to parameters, or says why the result would not be safe. */
export function mergeParams(
  base: TimerParams,
  change: unknown,
): { readonly type: 'params'; readonly params: TimerParams } | Refusal {
  const fault = checkParamChange(change)
  if (fault !== null) return fault
  const params = { ...base, ...(change as Partial<TimerParams>) }
  return checkParams(params) ?? { type: 'params', params }
}

/** Null when some parameters may allow the change: each value is one that its parameter can have. */
export function checkParamChange(change: unknown): Refusal | null {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) {
    return refuse('ERR_INVALID_PARAM', 'a parameter change must be an object')
  }
  for (const name of Object.keys(change)) {
    if (!Object.hasOwn(DEFAULT_PARAMS, name)) return refuse('ERR_INVALID_PARAM', `unknown parameter ${name}`)
    const fault = checkField(change as TimerParams, name as keyof TimerParams)
    if (fault !== null) return refuse('ERR_INVALID_PARAM', `${name} ${fault}`)
  }
  return null
}

/** Null when the parameters are safe to act on. */
export function checkParams(params: TimerParams): Refusal | null {
  for (const name of Object.keys(DEFAULT_PARAMS) as (keyof TimerParams)[]) {
    const fault = checkField(params, name)
    if (fault !== null) return refuse('ERR_INVALID_PARAM', `${name} ${fault}`)
  }
  if (params.minBid > params.maxBid) return refuse('ERR_INVALID_PARAM', 'minBid must not be above maxBid')
  if (params.minGasLimitPerTimer > maxGasLimitPerTimer(params)) {
    return refuse('ERR_INVALID_PARAM', 'minGasLimitPerTimer must not be above an eighth of timerLaneCycles')
  }
  const reach = starvationBlocks(params)
  if (reach > params.maxStarvationBlocks) {
    return refuse(
      'ERR_INVALID_PARAM',
      `bids and ranks could hold a timer back ${reach} blocks, past maxStarvationBlocks`,
    )
  }
  return checkBounds(params)
}

function checkField(params: TimerParams, name: keyof TimerParams): string | null {
  const value: unknown = params[name]
  const expected = typeof DEFAULT_PARAMS[name]
  if (typeof value !== expected) return `must be a ${expected}`
  const range = INTEGER_RANGES[name]
  if (range === undefined) return null
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return 'must be a whole number'
  const integer = BigInt(value as number | bigint)
  return integer < range[0] || integer > range[1] ? `must lie between ${range[0]} and ${range[1]}` : null
}

/** Bounds inside (minBid, maxBid] make the bucket the same for a bid and for its clamped value. */
function checkBounds({ bucketBounds, minBid, maxBid }: TimerParams): Refusal | null {
  if (!Array.isArray(bucketBounds) || bucketBounds.length > U8_MAX) {
    return refuse('ERR_INVALID_PARAM', `bucketBounds must be a list of at most ${U8_MAX} bids`)
  }
  let floor = minBid
  for (const bound of bucketBounds) {
    if (typeof bound !== 'bigint' || bound <= floor || bound > maxBid) {
      return refuse('ERR_INVALID_PARAM', 'bucketBounds must rise strictly within (minBid, maxBid]')
    }
    floor = bound
  }
  return null
}
