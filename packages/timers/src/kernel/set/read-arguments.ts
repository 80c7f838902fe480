/** Reads untrusted arguments into exact values or a refusal; nothing is rounded, coerced or thrown. */
import { byteLength, compareHex, findExactHex, findHex, type Hex } from '../bytes/hex.ts'
import { isBigUint } from '../bytes/is-uint.ts'
import { U32_MAX, U64_MAX, U128_MAX } from '../bytes/limits.ts'
import { type Refusal, refuse } from '../params/refusal.ts'
import { maxGasLimitPerTimer, type TimerParams } from '../params/timer-params.ts'
import type { TimerKind } from '../state/timer.ts'
import type { TimerCall } from './timer-call.ts'

/** What an integer argument may be: a bigint, a safe integer, or its decimal or 0x text. */
export type IntegerLike = bigint | number | string

export type Schedule =
  | { readonly kind: 'HEIGHT'; readonly dueHeight: bigint }
  | { readonly kind: 'INTERVAL'; readonly everyBlocks: number }
  | { readonly kind: 'STATE_WATCH'; readonly watchKeys: readonly Hex[] }

export interface Terms {
  readonly payload: Hex
  readonly gasLimit: bigint
  readonly bidFp: bigint
}

const TIME_FIELDS = ['due_time', 'every_secs', 'dueTime', 'everySecs']
const COMMON_FIELDS = ['kind', 'target', 'payload', 'gasLimit', 'bidFp', 'clientNonce']
const SCHEDULE_FIELDS: { readonly [K in TimerKind]: string } = {
  HEIGHT: 'dueHeight',
  INTERVAL: 'everyBlocks',
  STATE_WATCH: 'watchKeys',
}
const MIN_PREFIX_BYTES = 20
const MAX_PREFIX_BYTES = 128

type Fields = Readonly<Record<string, unknown>>

export function findInteger(value: unknown, max: bigint): bigint | null {
  let integer: bigint
  if (typeof value === 'bigint') integer = value
  else if (typeof value === 'number' && Number.isSafeInteger(value)) integer = BigInt(value)
  else if (typeof value === 'string' && /^(?:0|[1-9]\d{0,77}|0x[0-9a-f]{1,64})$/i.test(value)) integer = BigInt(value)
  else return null
  return integer < 0n || integer > max ? null : integer
}

export function findAddress(value: unknown): Hex | null {
  return findExactHex(value, 20)
}

function findTimerId(value: unknown): Hex | null {
  return findExactHex(value, 32)
}

/** Which timer a call is about. */
export function readTimerName(fields: Fields): { readonly target: Hex; readonly timerId: Hex } | Refusal {
  const target = findAddress(fields.target)
  if (target === null) return refuse('ERR_INVALID_PARAM', 'target must be an address of 20 bytes')
  const timerId = findTimerId(fields.timerId)
  if (timerId === null) return refuse('ERR_INVALID_PARAM', 'timerId must be 32 bytes')
  return { target, timerId }
}

/** Whether a watched prefix may have this many bytes. */
export function isPrefixLength(bytes: number): boolean {
  return bytes >= MIN_PREFIX_BYTES && bytes <= MAX_PREFIX_BYTES
}

/** A host's call in the one spelling that is stored: two spellings of one owner are one owner. */
export function readCall(call: TimerCall): TimerCall | Refusal {
  const caller = findAddress(call.caller)
  if (caller === null) return refuse('ERR_INVALID_PARAM', 'caller must be an address of 20 bytes')
  if (!isBigUint(call.height, U64_MAX)) return refuse('ERR_INVALID_PARAM', 'the height of a call must fit 64 bits')
  return caller === call.caller ? call : { ...call, caller }
}

/** The bag of named arguments; a time field anywhere in it is the older timer type that no longer exists. */
export function readFields(args: unknown, known: readonly string[]): Fields | Refusal {
  if (typeof args !== 'object' || args === null) return refuse('ERR_INVALID_PARAM', 'arguments must be an object')
  const names = Object.keys(args)
  const time = names.find((name) => TIME_FIELDS.includes(name))
  if (time !== undefined)
    return refuse('ERR_UNSUPPORTED_TIMER_TYPE', `${time}: timers by time were removed, use heights`)
  const odd = names.find((name) => !known.includes(name))
  if (odd !== undefined) return refuse('ERR_INVALID_PARAM', `${odd} is not an argument here`)
  return args as Fields
}

export function readSetFields(
  args: unknown,
  kind: unknown,
): { readonly kind: TimerKind; readonly fields: Fields } | Refusal {
  const known = kind === 'HEIGHT' || kind === 'INTERVAL' || kind === 'STATE_WATCH'
  const fields = readFields(args, known ? [...COMMON_FIELDS, SCHEDULE_FIELDS[kind]] : Object.keys(Object(args)))
  if (isRefusal(fields)) return fields
  return known ? { kind, fields } : refuse('ERR_UNSUPPORTED_TIMER_TYPE', 'kind must be HEIGHT, INTERVAL or STATE_WATCH')
}

export function readSchedule(kind: TimerKind, fields: Fields, params: TimerParams): Schedule | Refusal {
  switch (kind) {
    case 'HEIGHT': {
      const dueHeight = findInteger(fields.dueHeight, U64_MAX)
      if (dueHeight === null) return refuse('ERR_INVALID_PARAM', 'dueHeight must be a height of 64 bits')
      return { kind, dueHeight }
    }
    case 'INTERVAL': {
      const every = findInteger(fields.everyBlocks, BigInt(U32_MAX))
      if (every === null || every === 0n) return refuse('ERR_INVALID_PARAM', `everyBlocks must be 1 to ${U32_MAX}`)
      return { kind, everyBlocks: Number(every) }
    }
    case 'STATE_WATCH':
      return readWatchKeys(fields.watchKeys, params)
  }
}

/** Payload, gas and bid, within what the parameters allow. */
export function readTerms(fields: Fields, params: TimerParams): Terms | Refusal {
  const payload = findHex(fields.payload)
  if (payload === null || byteLength(payload) > params.maxPayloadSize) {
    return refuse('ERR_INVALID_PARAM', `payload must be at most ${params.maxPayloadSize} bytes`)
  }
  const gasLimit = findInteger(fields.gasLimit, maxGasLimitPerTimer(params))
  if (gasLimit === null || gasLimit < params.minGasLimitPerTimer) {
    const range = `${params.minGasLimitPerTimer} to ${maxGasLimitPerTimer(params)}`
    return refuse('ERR_INVALID_PARAM', `gasLimit must be ${range}`)
  }
  const bidFp = fields.bidFp === undefined ? 0n : findInteger(fields.bidFp, U128_MAX)
  if (bidFp === null || bidFp < params.minBid || bidFp > params.maxBid) {
    return refuse('ERR_INVALID_PARAM', `bidFp must be ${params.minBid} to ${params.maxBid}`)
  }
  return { payload, gasLimit, bidFp }
}

export function isRefusal(value: object): value is Refusal {
  return 'type' in value && value.type === 'refused'
}

function readWatchKeys(value: unknown, params: TimerParams): Schedule | Refusal {
  if (!Array.isArray(value) || value.length === 0 || value.length > params.maxWatchKeys) {
    return refuse('ERR_INVALID_PARAM', `watchKeys must be 1 to ${params.maxWatchKeys} key prefixes`)
  }
  const watchKeys: Hex[] = []
  for (const item of value as readonly unknown[]) {
    const prefix = findHex(item)
    if (prefix === null || !isPrefixLength(byteLength(prefix))) {
      return refuse('ERR_INVALID_PARAM', `watchKeys must be ${MIN_PREFIX_BYTES} to ${MAX_PREFIX_BYTES} bytes each`)
    }
    if (watchKeys.includes(prefix)) return refuse('ERR_INVALID_PARAM', `watchKeys repeats ${prefix}`)
    watchKeys.push(prefix)
  }
  return { kind: 'STATE_WATCH', watchKeys: watchKeys.sort(compareHex) }
}
