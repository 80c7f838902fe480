/** R2 and R3: the name of one fire on one branch, and the name of the same logical fire on any branch. */
import { domainDigits, getExactHex, type Hex, keccakDigits, uintDigits } from '../bytes/hex.ts'

const DOMAIN = domainDigits('cip5/deliver/v1')

export interface FireIdentity {
  readonly chainId: bigint
  readonly height: bigint
  readonly parentStateRoot: Hex
  readonly timerId: Hex
  readonly fireSeq: number
}

/** Throws a RangeError for a field of another width than the rule's. */
export function deliverIdOf({ chainId, height, parentStateRoot, timerId, fireSeq }: FireIdentity): Hex {
  const root = getExactHex(parentStateRoot, 32, 'parentStateRoot').slice(2)
  const id = getExactHex(timerId, 32, 'timerId').slice(2)
  return keccakDigits(`${DOMAIN}${uintDigits(chainId, 8)}${uintDigits(height, 8)}${root}${id}${uintDigits(fireSeq, 4)}`)
}

/** Equal on every branch that fires this timer for the same time. */
export function fireKeyOf(timerId: Hex, fireSeq: number): Hex {
  return keccakDigits(`${getExactHex(timerId, 32, 'timerId').slice(2)}${uintDigits(fireSeq, 4)}`)
}
