/** Who calls, at which height, under which parameters: decided by the chain, never by the caller. */
import type { Hex } from '../bytes/hex.ts'
import type { TimerParams } from '../params/timer-params.ts'

export interface TimerCall {
  readonly caller: Hex
  readonly height: bigint
  readonly params: TimerParams
}
