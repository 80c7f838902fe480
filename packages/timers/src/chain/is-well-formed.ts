/** Whether an untrusted transaction has the shape of its type; otherwise it is rejected before it runs. */
import { findHex, type Hex } from '../kernel/bytes/hex.ts'
import { U64_MAX, U256_MAX } from '../kernel/bytes/limits.ts'
import { findAddress } from '../kernel/set/read-arguments.ts'
import type { Action, Transaction } from './transaction.ts'

type Fields = Readonly<Record<string, unknown>>

/** Timer calls, votes and handlers check their own arguments, and refuse them with a reason. */
const SHAPES: { readonly [K in Action['type']]: (action: Fields) => boolean } = {
  transfer: ({ to, amount }) => isCanonicalAddress(to) && isUint(amount, U256_MAX),
  deploy: ({ handler }) => typeof handler === 'string',
  destroy: ({ actor }) => isCanonicalAddress(actor),
  call: ({ actor, payload }) => isCanonicalAddress(actor) && payload !== null && findHex(payload) === payload,
  set_timer: () => true,
  update_timer: () => true,
  cancel_timer: () => true,
  vote_params: () => true,
}

export function isWellFormed({ from, nonce, cyclesLimit, cellsLimit, tipPerCycle, action }: Transaction): boolean {
  if (!isCanonicalAddress(from) || !isUint(nonce, U64_MAX)) return false
  const limits: readonly unknown[] = [cyclesLimit, cellsLimit, tipPerCycle ?? 0n]
  if (!limits.every((limit) => isUint(limit, U64_MAX))) return false
  const shape: unknown = action
  if (typeof shape !== 'object' || shape === null) return false
  const fields = shape as Fields
  const known = typeof fields.type === 'string' && Object.hasOwn(SHAPES, fields.type)
  return known && SHAPES[fields.type as Action['type']](fields)
}

/** In lower case: another spelling would be another account. */
export function isCanonicalAddress(value: unknown): value is Hex {
  const address = findAddress(value)
  return address !== null && address === value
}

function isUint(value: unknown, max: bigint): boolean {
  return typeof value === 'bigint' && value >= 0n && value <= max
}
