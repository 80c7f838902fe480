/** Whether a value is an unsigned integer of a width, in the type that it is stored in. */
import { U32_MAX } from './limits.ts'

export function isBigUint(value: unknown, max: bigint): value is bigint {
  return typeof value === 'bigint' && value >= 0n && value <= max
}

export function isUint32(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= U32_MAX
}
