/** A state as a stream of bytes and back: versioned, sealed frame by frame, and never in one piece in memory. */
import { ByteReader } from '../bytes/byte-reader.ts'
import { byteLength, bytesOf, type Hex, uintDigits } from '../bytes/hex.ts'
import type { Timer } from '../state/timer.ts'
import type { TimerState, Tombstone } from '../state/timer-state.ts'
import { restoreTimers } from './restore-timers.ts'
import { createFrameReader, createFrameWriter, SnapshotError } from './snapshot-frames.ts'
import { decodeTimer, encodeTimer } from './timer-record.ts'
import type { TimerSnapshot } from './timer-snapshot.ts'

/** Frames come in this order; a kind without items has none. */
const KIND = {
  head: 1,
  timers: 2,
  cursors: 3,
  counters: 4,
  nonces: 5,
  tombstones: 6,
  isolated: 7,
  carried: 8,
  targets: 9,
  end: 255,
} as const

/** Hex digits after which a frame is closed: small enough for the fast hash, and for any reader. */
const FRAME_DIGITS = 96_000

/** Yields the stream's chunks; each is a whole frame of about 48 kB, or one large timer. */
export function* writeSnapshot(state: TimerState): Generator<Uint8Array, void, undefined> {
  const writer = createFrameWriter()
  yield writer.opening
  const { chainId, height, nextRank, targets } = state
  const known = targets === null ? '00' : '01'
  const head = `${uintDigits(chainId, 8)}${uintDigits(height, 8)}${uintDigits(nextRank, 9)}${known}`
  yield writer.write({ kind: KIND.head, body: bytesOf(head) })
  let total = 0
  for (const [kind, items] of listSections(state)) {
    let open: string[] = []
    let size = 0
    for (const item of items) {
      open.push(item)
      size += item.length
      total += 1
      if (size < FRAME_DIGITS) continue
      yield writer.write({ kind, body: bytesOf(open.join('')) })
      open = []
      size = 0
    }
    if (size > 0) yield writer.write({ kind, body: bytesOf(open.join('')) })
  }
  yield writer.write({ kind: KIND.end, body: bytesOf(uintDigits(total, 8)) })
}

function listSections(state: TimerState): (readonly [number, Iterable<string>])[] {
  return [
    [KIND.timers, map(state.timers.values(), encodeTimer)],
    [KIND.cursors, map(state.cursors.entries(), ({ key, value }) => `${key.slice(2)}${uintDigits(value, 12)}`)],
    [
      KIND.counters,
      map(state.owners.entries(), ({ key, value: { counter } }) =>
        counter === 0n ? '' : `${key.slice(2)}${uintDigits(counter, 9)}`,
      ),
    ],
    [
      KIND.nonces,
      map(
        state.nonces.entries(),
        ({ key, value }) => `${key.slice(2)}${value === null ? '00' : `01${value.slice(2)}`}`,
      ),
    ],
    [
      KIND.tombstones,
      map(
        state.tombstones.values(),
        ({ timerId, owner, target, height }) =>
          `${timerId.slice(2)}${owner.slice(2)}${target.slice(2)}${uintDigits(height, 8)}`,
      ),
    ],
    [KIND.isolated, map(state.isolated.entries(), ({ key, value }) => `${key.slice(2)}${uintDigits(value, 8)}`)],
    [
      KIND.carried,
      map(
        state.carriedSince.entries(),
        ({ key, value }) => `${uintDigits(byteLength(key), 4)}${key.slice(2)}${uintDigits(value, 8)}`,
      ),
    ],
    [KIND.targets, map(state.targets?.entries() ?? [], ({ key }) => key.slice(2))],
  ]
}

/** Leaves out what maps to nothing. */
function* map<T>(items: Iterable<T>, encode: (item: T) => string): Generator<string, void, undefined> {
  for (const item of items) {
    const text = encode(item)
    if (text !== '') yield text
  }
}

export interface SnapshotLimits {
  /** The largest frame that is accepted; 64 MiB unless said. */
  readonly maxFrameBytes?: number
  /** The most items of all kinds together; 50 million unless said. */
  readonly maxItems?: number
}

export interface SnapshotReader {
  /** Takes the next bytes, cut anywhere. Throws a SnapshotError; the reader is then of no more use. */
  push(chunk: Uint8Array): void
  /** The state, once all has been pushed. */
  finish(): TimerState
}

export function createSnapshotReader(limits: SnapshotLimits = {}): SnapshotReader {
  const { maxFrameBytes = 1 << 26, maxItems = 50_000_000 } = limits
  const frames = createFrameReader(maxFrameBytes)
  const parts = createParts()
  return {
    push(chunk) {
      for (const { kind, body } of frames.push(chunk)) {
        asCorrupt(() => parts.read(kind, new ByteReader(body)))
        if (parts.items > maxItems) throw new SnapshotError('too_large', `the snapshot has more than ${maxItems} items`)
      }
    },
    finish() {
      if (!frames.isEmpty || !parts.ended)
        throw new SnapshotError('truncated', 'the snapshot ends before its last frame')
      return asCorrupt(() => restoreTimers(parts.snapshot()))
    },
  }
}

/** Reads a whole stream that is at hand; use `createSnapshotReader` for one that arrives bit by bit. */
export function readSnapshot(chunks: Iterable<Uint8Array>, limits?: SnapshotLimits): TimerState {
  const reader = createSnapshotReader(limits)
  for (const chunk of chunks) reader.push(chunk)
  return reader.finish()
}

function createParts() {
  let head: Pick<TimerSnapshot, 'chainId' | 'height' | 'nextRank'> | null = null
  let targets: Hex[] | null = null
  const timers: Timer[] = []
  const cursors: [Hex, bigint][] = []
  const ownerCounters: [Hex, bigint][] = []
  const nonces: [Hex, Hex | null][] = []
  const tombstones: Tombstone[] = []
  const isolated: [Hex, bigint][] = []
  const carriedKeys: [Hex, bigint][] = []
  let last = 0
  let items = 0

  const readers: { readonly [kind: number]: (reader: ByteReader) => void } = {
    [KIND.timers]: (reader) => timers.push(decodeTimer(reader)),
    [KIND.cursors]: (reader) => cursors.push([reader.hex(20), reader.uint(12)]),
    [KIND.counters]: (reader) => ownerCounters.push([reader.hex(20), reader.uint(9)]),
    [KIND.nonces]: (reader) => nonces.push([reader.hex(32), reader.flag() ? reader.hex(32) : null]),
    [KIND.tombstones]: (reader) =>
      tombstones.push({
        timerId: reader.hex(32),
        owner: reader.hex(20),
        target: reader.hex(20),
        height: reader.uint(8),
      }),
    [KIND.isolated]: (reader) => isolated.push([reader.hex(32), reader.uint(8)]),
    [KIND.carried]: (reader) => carriedKeys.push([reader.hex(reader.u32()), reader.uint(8)]),
    [KIND.targets]: (reader) => {
      if (targets === null) throw new RangeError('targets in a state that has none')
      targets.push(reader.hex(20))
    },
  }

  function readHead(reader: ByteReader): void {
    head = { chainId: reader.uint(8), height: reader.uint(8), nextRank: reader.uint(9) }
    if (reader.flag()) targets = []
  }

  return {
    get items(): number {
      return items
    },
    get ended(): boolean {
      return last === KIND.end
    },
    read(kind: number, reader: ByteReader): void {
      const repeats = kind === last && kind !== KIND.head && kind !== KIND.end
      if (!repeats && kind <= last) throw new RangeError(`a frame of kind ${kind} after one of kind ${last}`)
      if ((kind === KIND.head) !== (last === 0)) throw new RangeError('the first frame must be the head')
      last = kind
      if (kind === KIND.head) readHead(reader)
      else if (kind === KIND.end) {
        if (reader.uint(8) !== BigInt(items)) throw new RangeError('the last frame counts other items')
      } else {
        const readItem = readers[kind]
        if (readItem === undefined) throw new RangeError(`there is no frame of kind ${kind}`)
        while (!reader.done) {
          readItem(reader)
          items += 1
        }
      }
      if (!reader.done) throw new RangeError(`a frame of kind ${kind} is too long`)
    },
    snapshot(): TimerSnapshot {
      if (head === null) throw new RangeError('there is no head')
      return { ...head, timers, cursors, ownerCounters, nonces, tombstones, isolated, carriedKeys, targets }
    },
  }
}

function asCorrupt<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new SnapshotError('corrupt', `the snapshot says what cannot be: ${error.message}`, { cause: error })
  }
}
