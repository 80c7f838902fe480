/** Reads fixed-width fields from bytes, one after another; past the end is a RangeError, never zeros. */
import { type Hex, hexOf } from './hex.ts'

export class ByteReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get done(): boolean {
    return this.#at === this.#bytes.length
  }

  u8(): number {
    return this.#bytes[this.#take(1)] as number
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4))
  }

  flag(): boolean {
    const value = this.u8()
    if (value > 1) throw new RangeError(`expected 0 or 1, found ${value}`)
    return value === 1
  }

  /** A big-endian number of any width. */
  uint(bytes: number): bigint {
    if (bytes === 8) return this.#view.getBigUint64(this.#take(8))
    if (bytes === 16) return (this.uint(8) << 64n) | this.uint(8)
    let value = 0n
    for (let n = 0; n < bytes; n += 1) value = (value << 8n) | BigInt(this.u8())
    return value
  }

  hex(bytes: number): Hex {
    const from = this.#take(bytes)
    return hexOf(this.#bytes.subarray(from, from + bytes))
  }

  #take(bytes: number): number {
    const from = this.#at
    if (from + bytes > this.#bytes.length) throw new RangeError('a field reaches past the end')
    this.#at = from + bytes
    return from
  }
}
