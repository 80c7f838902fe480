/** The canonical bytes of a stored timer: the value of its leaf, and its form in a snapshot. */

import type { ByteReader } from '../bytes/byte-reader.ts'
import { byteLength, type Hex, uintDigits } from '../bytes/hex.ts'
import { KIND_CODES } from '../deliver/mailbox-entry.ts'
import type { MatchedKeys, Timer } from '../state/timer.ts'

/** Canonical digits of a record: every field, fixed order, lengths before what varies. */
export function encodeTimer(timer: Timer): string {
  const common = [
    timer.owner.slice(2),
    timer.target.slice(2),
    timer.timerId.slice(2),
    uintDigits(timer.gasLimit, 8),
    uintDigits(timer.bidFp, 16),
    uintDigits(timer.fifoRank, 8),
    uintDigits(timer.fireSeq, 4),
    uintDigits(timer.version, 1),
    uintDigits(timer.createdHeight, 8),
    timer.dueHeight === null ? '00' : `01${uintDigits(timer.dueHeight, 8)}`,
    uintDigits(byteLength(timer.payload), 4),
    timer.payload.slice(2),
  ].join('')
  return `${uintDigits(KIND_CODES[timer.kind], 1)}${common}${encodeKind(timer)}`
}

function encodeKind(timer: Timer): string {
  switch (timer.kind) {
    case 'HEIGHT':
      return ''
    case 'INTERVAL':
      return `${uintDigits(timer.everyBlocks, 4)}${uintDigits(timer.failures, 4)}`
    case 'STATE_WATCH': {
      const matched =
        timer.matched === null ? '00' : `${timer.matched.truncated ? '02' : '01'}${encodeKeys(timer.matched.keys)}`
      return `${encodeKeys(timer.watchKeys)}${matched}`
    }
  }
}

function encodeKeys(keys: readonly Hex[]): string {
  return `${uintDigits(keys.length, 4)}${keys.map((key) => `${uintDigits(byteLength(key), 4)}${key.slice(2)}`).join('')}`
}

/** Reads what `encodeTimer` wrote; the values are not checked, `checkRecord` does that. */
export function decodeTimer(reader: ByteReader): Timer {
  const kind = reader.u8()
  const common = {
    owner: reader.hex(20),
    target: reader.hex(20),
    timerId: reader.hex(32),
    gasLimit: reader.uint(8),
    bidFp: reader.uint(16),
    fifoRank: reader.uint(8),
    fireSeq: reader.u32(),
    version: reader.u8(),
    createdHeight: reader.uint(8),
  }
  const dueHeight = reader.flag() ? reader.uint(8) : null
  const payload = reader.hex(reader.u32())
  if (kind === KIND_CODES.STATE_WATCH) {
    const watchKeys = decodeKeys(reader)
    return { ...common, payload, kind: 'STATE_WATCH', watchKeys, dueHeight, matched: decodeMatched(reader) }
  }
  if (dueHeight === null) throw new RangeError(`timer ${common.timerId} must have a dueHeight`)
  if (kind === KIND_CODES.HEIGHT) return { ...common, payload, kind: 'HEIGHT', dueHeight }
  if (kind !== KIND_CODES.INTERVAL) throw new RangeError(`timer ${common.timerId} is of unknown kind ${kind}`)
  return { ...common, payload, kind: 'INTERVAL', dueHeight, everyBlocks: reader.u32(), failures: reader.u32() }
}

function decodeMatched(reader: ByteReader): MatchedKeys | null {
  const mark = reader.u8()
  if (mark > 2) throw new RangeError(`unknown mark ${mark} before matched keys`)
  return mark === 0 ? null : { keys: decodeKeys(reader), truncated: mark === 2 }
}

function decodeKeys(reader: ByteReader): Hex[] {
  const count = reader.u32()
  const keys: Hex[] = []
  for (let n = 0; n < count; n += 1) keys.push(reader.hex(reader.u32()))
  return keys
}
