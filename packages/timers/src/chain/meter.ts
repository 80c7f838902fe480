/** Counts Cycles and Cells of one run; once either is used up the run has failed, whatever it does after. */
type Exhaustion = 'out_of_cycles' | 'out_of_cells'

export interface Meter {
  readonly cyclesUsed: bigint
  readonly cellsUsed: bigint
  readonly exhausted: Exhaustion | null
  chargeCycles(amount: bigint): void
  chargeCells(amount: bigint): void
}

/** Thrown through a handler to stop it; caught where the run began. */
export class MeterExhausted extends Error {
  override readonly name = 'MeterExhausted'
}

export function createMeter(cyclesLimit: bigint, cellsLimit: bigint): Meter {
  let cyclesUsed = 0n
  let cellsUsed = 0n
  let exhausted: Exhaustion | null = null

  function stop(why: Exhaustion): never {
    exhausted ??= why
    throw new MeterExhausted(exhausted)
  }

  return {
    get cyclesUsed() {
      return cyclesUsed
    },
    get cellsUsed() {
      return cellsUsed
    },
    get exhausted() {
      return exhausted
    },
    chargeCycles(amount) {
      if (exhausted !== null || cyclesUsed + amount > cyclesLimit) {
        cyclesUsed = exhausted === null ? cyclesLimit : cyclesUsed
        stop('out_of_cycles')
      }
      cyclesUsed += amount
    },
    chargeCells(amount) {
      if (exhausted !== null || cellsUsed + amount > cellsLimit) stop('out_of_cells')
      cellsUsed += amount
    },
  }
}
