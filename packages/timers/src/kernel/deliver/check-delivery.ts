/** Refuses a delivery that was not made from this state: of another chain, of the past, or changed on its way here. */
import { isCanonicalHex } from '../bytes/hex.ts'
import { isBigUint, isUint32 } from '../bytes/is-uint.ts'
import { U64_MAX } from '../bytes/limits.ts'
import { heightOfCursor } from '../state/cursors.ts'
import { isMatchedKeys, type Timer, type TimerKind } from '../state/timer.ts'
import type { TimerState } from '../state/timer-state.ts'
import type { Delivery } from './deliver.ts'
import type { Mutation } from './list-mutations.ts'

type TimerMutation = Exclude<Mutation, { type: 'cursor.moved' }>

export function checkDelivery(state: TimerState, delivery: Delivery): void {
  const { chainId, height, mutations, evictions, carried } = delivery
  if (chainId !== state.chainId) throw new RangeError(`delivery of chain ${chainId} on a state of ${state.chainId}`)
  if (!isBigUint(height, U64_MAX)) throw new RangeError('the height of a delivery must fit 64 bits')
  if (height <= state.height) throw new RangeError(`delivery ${height} was already applied`)
  for (const mutation of mutations) {
    if (mutation.type !== 'cursor.moved') {
      if (!isCanonicalHex(mutation.timerId, 32)) throw new RangeError('a mutation names a timer by 32 bytes')
      continue
    }
    const { target, cursor } = mutation
    const fits = isCanonicalHex(target, 20) && typeof cursor === 'bigint' && heightOfCursor(cursor) === height
    if (!fits) throw new RangeError(`the cursor of ${target} is not one of height ${height}`)
  }
  for (const { timerId } of evictions) {
    if (!isCanonicalHex(timerId, 32)) throw new RangeError('an eviction names a timer by 32 bytes')
  }
  for (const key of carried.keys) if (typeof key !== 'string') throw new RangeError('a carried key must be 0x text')
}

const KINDS: { readonly [T in TimerMutation['type']]: readonly TimerKind[] } = {
  'timer.spent': ['HEIGHT'],
  'timer.rescheduled': ['INTERVAL'],
  'timer.retired': ['INTERVAL', 'STATE_WATCH'],
  'watch.cleared': ['STATE_WATCH'],
  'watch.pended': ['STATE_WATCH'],
}

/** The record may have been updated since, but its kind and its count of fires are delivery's own. */
export function checkMutation(timer: Timer, mutation: TimerMutation, height: bigint): void {
  const { type, timerId } = mutation
  const kinds: readonly TimerKind[] | undefined = KINDS[type]
  if (kinds === undefined || !kinds.includes(timer.kind)) {
    throw new RangeError(`${type} does not apply to timer ${timerId}, which is of kind ${timer.kind}`)
  }
  if ('fireSeq' in mutation && (!isUint32(mutation.fireSeq) || mutation.fireSeq !== timer.fireSeq + 1)) {
    throw new RangeError(`timer ${timerId} has fired ${timer.fireSeq} times, not ${mutation.fireSeq - 1}`)
  }
  if (mutation.type === 'timer.rescheduled' && timer.kind === 'INTERVAL') {
    const due = height + BigInt(timer.everyBlocks)
    if (mutation.dueHeight !== due) throw new RangeError(`timer ${timerId} is next due at ${due}`)
  }
  if (mutation.type === 'watch.pended') {
    const { dueHeight, matched } = mutation
    const fits = isBigUint(dueHeight, height) && dueHeight > timer.createdHeight && isMatchedKeys(matched)
    if (!fits) throw new RangeError(`timer ${timerId} cannot wait since ${dueHeight} with these keys`)
  }
}
