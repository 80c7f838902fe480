/**
 * Refuses a stored timer that no call could have created; what passes is as valid as a record written by `setTimer`.
 */
import { byteLength, type Hex, isCanonicalHex } from '../bytes/hex.ts'
import { isBigUint, isUint32 } from '../bytes/is-uint.ts'
import { U64_MAX, U128_MAX } from '../bytes/limits.ts'
import { isPrefixLength } from '../set/read-arguments.ts'
import { isMatchedKeys, TIMER_VERSION, type Timer } from '../state/timer.ts'

export function checkRecord(timer: Timer): void {
  const fault = findFault(timer)
  if (fault !== null) throw new RangeError(`timer ${timer.timerId} ${fault}`)
}

function findFault(timer: Timer): string | null {
  const { owner, target, createdHeight, dueHeight } = timer
  if (timer.version !== TIMER_VERSION) return `has unknown version ${timer.version}`
  if (!isCanonicalHex(timer.timerId, 32)) return 'must have an id of 32 bytes in lower case'
  if (!isCanonicalHex(owner, 20)) return 'must have an owner of 20 bytes in lower case'
  if (!isCanonicalHex(target, 20)) return 'must have a target of 20 bytes in lower case'
  if (!isCanonicalHex(timer.payload)) return 'must have a payload of bytes in lower case'
  if (!isBigUint(timer.gasLimit, U64_MAX)) return 'must have a gas limit of 64 bits'
  if (!isBigUint(timer.bidFp, U128_MAX)) return 'must have a bid of 128 bits'
  if (!isBigUint(timer.fifoRank, U64_MAX)) return 'must have a rank of 64 bits'
  if (!isUint32(timer.fireSeq)) return 'must have a fireSeq of 32 bits'
  if (!isBigUint(createdHeight, U64_MAX)) return 'must have a createdHeight of 64 bits'
  if (dueHeight !== null && !isBigUint(dueHeight, U64_MAX)) return 'must have a dueHeight of 64 bits'
  if (dueHeight !== null && dueHeight <= createdHeight) return 'was due before it was set'
  return findKindFault(timer)
}

function findKindFault(timer: Timer): string | null {
  switch (timer.kind) {
    case 'HEIGHT':
      return timer.dueHeight === null ? 'must have a dueHeight' : null
    case 'INTERVAL':
      if (timer.dueHeight === null) return 'must have a dueHeight'
      if (!isUint32(timer.everyBlocks) || timer.everyBlocks === 0) return 'must have everyBlocks of 32 bits, at least 1'
      return isUint32(timer.failures) ? null : 'must have failures of 32 bits'
    case 'STATE_WATCH':
      if (!isWatchKeys(timer.watchKeys)) return 'must have sorted watchKeys of 20 to 128 bytes'
      if ((timer.matched === null) !== (timer.dueHeight === null)) return 'is due if and only if a key matched'
      return timer.matched === null || isMatchedKeys(timer.matched) ? null : 'must have sorted matched keys'
    default:
      return 'is of an unknown kind'
  }
}

function isWatchKeys(keys: readonly Hex[]): boolean {
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > 65_535) return false
  return keys.every(
    (key, at) => isCanonicalHex(key) && isPrefixLength(byteLength(key)) && (at === 0 || (keys[at - 1] as Hex) < key),
  )
}
