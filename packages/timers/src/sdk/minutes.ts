/** Minutes to blocks (§17): a wall-clock duration, converted once by the chain's target block time. */
import { U32_MAX, U64_MAX } from '../kernel/bytes/limits.ts'

/** An argument that the SDK refuses, under the code that the protocol has for it. */
export class InvalidParamError extends RangeError {
  override readonly name = 'InvalidParamError'
  readonly code = 'ERR_INVALID_PARAM'
}

export interface BlockClock {
  /** The target time between blocks, τ. */
  readonly blockTimeMs: number
}

export interface HeightClock extends BlockClock {
  readonly height: bigint
}

/** ceil(minutes · 60000 / τ), at least one block; zero minutes are refused. */
export function blocksInMinutes(minutes: number | bigint, { blockTimeMs }: BlockClock): bigint {
  const whole = readWhole(minutes, 'minutes')
  if (whole === 0n) throw new InvalidParamError('minutes must be at least 1')
  return blocksInMs(whole * 60_000n, blockTimeMs)
}

/** The height to ask for so that at least this many minutes pass, at the target block time. */
export function afterMinutes(minutes: number | bigint, clock: HeightClock): bigint {
  const dueHeight = clock.height + blocksInMinutes(minutes, clock)
  if (dueHeight > U64_MAX) throw new InvalidParamError('minutes lead past the last height')
  return dueHeight
}

/** The `everyBlocks` of an interval of this many minutes. */
export function everyMinutes(minutes: number | bigint, clock: BlockClock): number {
  const blocks = blocksInMinutes(minutes, clock)
  if (blocks > BigInt(U32_MAX)) throw new InvalidParamError('minutes make more blocks than an interval can have')
  return Number(blocks)
}

/** Rounded up, since early is worse than late; at least one block. */
export function blocksInMs(ms: bigint, blockTimeMs: number): bigint {
  const tau = readWhole(blockTimeMs, 'blockTimeMs')
  if (tau === 0n) throw new InvalidParamError('blockTimeMs must be at least 1')
  const blocks = (ms + tau - 1n) / tau
  return blocks < 1n ? 1n : blocks
}

function readWhole(value: number | bigint, name: string): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new InvalidParamError(`${name} must be a whole number`)
  const whole = BigInt(value)
  if (whole < 0n) throw new InvalidParamError(`${name} must not be negative`)
  return whole
}
