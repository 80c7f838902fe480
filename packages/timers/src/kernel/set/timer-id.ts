/** R1: a timer's name, fixed by who set it, for whom, and a number that is never used twice. */
import { domainDigits, getExactHex, type Hex, keccakDigits, uintDigits } from '../bytes/hex.ts'

const DOMAIN = domainDigits('cip5/timer/v1')

export interface TimerIdentity {
  readonly chainId: bigint
  readonly owner: Hex
  readonly target: Hex
  /** `client`: the caller's own nonce; `counter`: the owner's running count of timers. */
  readonly source: 'client' | 'counter'
  readonly n: bigint
}

/** Throws a RangeError for a field of another width than the rule's. */
export function timerIdOf({ chainId, owner, target, source, n }: TimerIdentity): Hex {
  const tag = source === 'client' ? '01' : '00'
  const who = `${getExactHex(owner, 20, 'owner').slice(2)}${getExactHex(target, 20, 'target').slice(2)}`
  return keccakDigits(`${DOMAIN}${uintDigits(chainId, 8)}${who}${tag}${uintDigits(n, 8)}`)
}
