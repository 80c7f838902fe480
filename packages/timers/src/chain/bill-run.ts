/** Runs code against an escrow (R27): the payer puts up the most it can cost, and gets back what was not used. */
import type { Hex } from '../kernel/bytes/hex.ts'
import type { Prices } from './basefee.ts'
import { moveBalance, type World } from './chain-state.ts'
import type { Receipt } from './receipt.ts'
import { type Frame, type FrameLimits, type FrameResult, runFrame } from './world-frame.ts'

interface BilledRun {
  readonly type: Receipt['type']
  readonly id: Hex
  readonly payer: Hex
  /** Already taken from the payer. */
  readonly escrow: bigint
  readonly limits: FrameLimits
  readonly prices: Prices
  tipFor(cyclesUsed: bigint): bigint
  body(frame: Frame): void
}

export interface Billed {
  readonly world: World
  readonly receipt: Receipt
  readonly changedKeys: FrameResult['changedKeys']
}

export function billRun(escrowed: World, run: BilledRun): Billed {
  const { type, id, payer, prices } = run
  const { world, outcome, cyclesUsed, cellsUsed, changedKeys } = runFrame(escrowed, run.limits, run.body)
  const burned = cyclesUsed * prices.cycles + cellsUsed * prices.cells
  const tip = run.tipFor(cyclesUsed)
  const refund = run.escrow - burned - tip
  if (refund < 0n) throw new RangeError(`run ${id} cost more than its escrow`)
  const receipt = { type, id, payer, outcome, cyclesUsed, cellsUsed, burned, tip }
  return { world: moveBalance(world, payer, refund), receipt, changedKeys }
}
