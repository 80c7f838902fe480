/** Who calls, at which height, under which parameters: decided by the chain, never by the caller. */
import type { Hex } from './hex.ts'
import type { TimerParams } from './timer-params.ts'

export interface TimerCall {
  readonly caller: Hex
  readonly height: bigint
  readonly params: TimerParams
}
