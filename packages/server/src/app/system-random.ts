/** Randomness from the operating system. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Random } from '../ports/clock.ts'

export function createSystemRandom(): Random {
  return {
    id: formatUuid7,
    fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  }
}

/** UUID version 7: 48 bits of time, then the version, and the variant and 74 random bits of a version 4. */
function formatUuid7(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
