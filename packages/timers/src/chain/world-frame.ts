/** One run of code on its own snapshot (R26): it keeps what it changed if it succeeds, and nothing but the bill if not. */
import type { Hex } from '../kernel/bytes/hex.ts'
import { diffMaps } from '../kernel/tree/ordered-map.ts'
import type { World } from './chain-state.ts'
import { createMeter, type Meter, MeterExhausted } from './meter.ts'

/** The world as it changes during a run. */
export interface Frame {
  world: World
  readonly meter: Meter
}

export type RunOutcome =
  | { readonly type: 'succeeded' }
  | {
      readonly type: 'failed'
      readonly reason: 'reverted' | 'out_of_cycles' | 'out_of_cells'
      readonly message: string
    }

export interface FrameResult {
  readonly world: World
  readonly outcome: RunOutcome
  readonly cyclesUsed: bigint
  readonly cellsUsed: bigint
  /** Keys whose value differs from before the run (R13). */
  readonly changedKeys: readonly Hex[]
}

export interface FrameLimits {
  readonly cycles: bigint
  readonly cells: bigint
}

/** Thrown by the chain itself to undo a run. */
export class Reverted extends Error {
  override readonly name = 'Reverted'
}

export function runFrame(before: World, limits: FrameLimits, body: (frame: Frame) => void): FrameResult {
  const meter = createMeter(limits.cycles, limits.cells)
  const frame: Frame = { world: before, meter }
  const outcome = settle(frame, body)
  const world = outcome.type === 'succeeded' ? frame.world : before
  const changedKeys: Hex[] = []
  diffMaps(before.storage, world.storage, (key) => changedKeys.push(key))
  return { world, outcome, cyclesUsed: meter.cyclesUsed, cellsUsed: meter.cellsUsed, changedKeys }
}

function settle(frame: Frame, body: (frame: Frame) => void): RunOutcome {
  let message = 'the meter ran out'
  let thrown = false
  try {
    body(frame)
  } catch (error) {
    thrown = true
    if (!(error instanceof MeterExhausted)) message = messageOf(error)
  }
  const { exhausted } = frame.meter
  if (exhausted !== null) return { type: 'failed', reason: exhausted, message }
  return thrown ? { type: 'failed', reason: 'reverted', message } : { type: 'succeeded' }
}

/** Code can throw anything, also what cannot be turned into text. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof Error && typeof thrown.message === 'string') return thrown.message
  return typeof thrown === 'string' ? thrown : `threw a value of type ${typeof thrown}`
}
