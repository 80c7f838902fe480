/**
 * The frames of a snapshot stream: kind u8 ‖ length u32 ‖ body ‖ seal 32.
 *
 * A seal is keccak256(the seal before ‖ kind ‖ length ‖ body), and the first follows the opening's own hash. So a byte
 * that changed, a frame that is missing and frames that changed places all break the next seal.
 */
import { keccak256 } from '../bytes/keccak.ts'

/** "drvtimer" and the version. */
const MAGIC = Uint8Array.of(0x64, 0x72, 0x76, 0x74, 0x69, 0x6d, 0x65, 0x72)
export const SNAPSHOT_VERSION = 1
const OPENING_BYTES = 10
const HEAD_BYTES = 5
const SEAL_BYTES = 32

export type SnapshotFault = 'not_a_snapshot' | 'newer_version' | 'truncated' | 'corrupt' | 'too_large'

/** A stream that cannot be read, and why. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
  readonly code: SnapshotFault

  constructor(code: SnapshotFault, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export interface Frame {
  readonly kind: number
  readonly body: Uint8Array
}

export function createFrameWriter() {
  const opening = Uint8Array.of(...MAGIC, SNAPSHOT_VERSION >>> 8, SNAPSHOT_VERSION & 255)
  let seal = keccak256(opening)
  return {
    opening,
    write({ kind, body }: Frame): Uint8Array {
      const frame = new Uint8Array(HEAD_BYTES + body.length + SEAL_BYTES)
      frame[0] = kind
      new DataView(frame.buffer).setUint32(1, body.length)
      frame.set(body, HEAD_BYTES)
      seal = sealOf(seal, frame.subarray(0, HEAD_BYTES + body.length))
      frame.set(seal, HEAD_BYTES + body.length)
      return frame
    },
  }
}

/** Takes chunks cut anywhere and gives whole, sealed frames; it never holds more than one frame and one chunk. */
export function createFrameReader(maxFrameBytes: number) {
  let chunks: Uint8Array[] = []
  let held = 0
  let seal: Uint8Array | null = null

  function take(bytes: number): Uint8Array | null {
    if (held < bytes) return null
    const all = chunks.length === 1 ? (chunks[0] as Uint8Array) : concat(chunks, held)
    chunks = all.length > bytes ? [all.subarray(bytes)] : []
    held -= bytes
    return all.subarray(0, bytes)
  }

  function peekHead(): { kind: number; length: number } | null {
    if (held < HEAD_BYTES) return null
    if ((chunks[0]?.length ?? 0) < HEAD_BYTES) chunks = [concat(chunks, held)]
    const first = chunks[0] as Uint8Array
    return { kind: first[0] as number, length: new DataView(first.buffer, first.byteOffset).getUint32(1) }
  }

  function readOpening(opening: Uint8Array): Uint8Array {
    if (!MAGIC.every((byte, at) => opening[at] === byte)) {
      throw new SnapshotError('not_a_snapshot', 'these bytes are not a snapshot of timers')
    }
    const version = ((opening[8] as number) << 8) | (opening[9] as number)
    if (version > SNAPSHOT_VERSION) {
      throw new SnapshotError('newer_version', `the snapshot has version ${version}, this reads ${SNAPSHOT_VERSION}`)
    }
    if (version < 1) throw new SnapshotError('corrupt', `there is no snapshot version ${version}`)
    return keccak256(opening)
  }

  return {
    get isEmpty(): boolean {
      return held === 0 && seal !== null
    },
    *push(chunk: Uint8Array): Generator<Frame, void, undefined> {
      if (chunk.length > 0) chunks.push(chunk)
      held += chunk.length
      if (seal === null) {
        const opening = take(OPENING_BYTES)
        if (opening === null) return
        seal = readOpening(opening)
      }
      while (true) {
        const head = peekHead()
        if (head === null) return
        if (head.length > maxFrameBytes) {
          throw new SnapshotError('too_large', `a frame of ${head.length} bytes is past the limit of ${maxFrameBytes}`)
        }
        const sealed = HEAD_BYTES + head.length
        const frame = take(sealed + SEAL_BYTES)
        if (frame === null) return
        seal = sealOf(seal, frame.subarray(0, sealed))
        if (!seal.every((byte, at) => frame[sealed + at] === byte)) {
          throw new SnapshotError('corrupt', 'a frame does not match its seal: bytes were changed or are missing')
        }
        yield { kind: head.kind, body: frame.subarray(HEAD_BYTES, sealed) }
      }
    },
  }
}

function sealOf(before: Uint8Array, frame: Uint8Array): Uint8Array {
  return keccak256(concat([before, frame], before.length + frame.length))
}

function concat(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
