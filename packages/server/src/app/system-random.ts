/** Randomness from the operating system. */
import { randomBytes } from 'node:crypto'
import type { Random } from '../ports/clock.ts'

export function createSystemRandom(): Random {
  return {
    id: (nowMs) => formatUuid7(nowMs, randomBytes(10)),
    fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  }
}

/** UUID version 7: 48 bits of time, then version, variant and 74 random bits. */
function formatUuid7(nowMs: number, random: Buffer): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(nowMs, 0, 6)
  random.copy(bytes, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
