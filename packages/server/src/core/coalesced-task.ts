/**
 * A task whose runs never overlap. A call during a run leads to one more run after it, however many calls there were:
 * what they asked for may have come too late for the run that was under way.
 */
export interface CoalescedTask {
  /** Settles when no run is left that this call asked for. */
  run(): Promise<void>
  /** Another run follows the one that is under way. */
  isWanted(): boolean
  /** Forgets the calls that came during this run. */
  drop(): void
  /** Settles when no run is under way. */
  settled(): Promise<void>
}

/** A task that rejects ends the runs: everyone who called since gets the error. */
export function coalesce(task: () => Promise<void>): CoalescedTask {
  let running: Promise<void> | null = null
  let isWanted = false

  async function runAll(): Promise<void> {
    try {
      do {
        isWanted = false
        await task()
      } while (isWanted)
    } finally {
      // In the same step as the last look: a call in between would start nothing.
      running = null
      isWanted = false
    }
  }

  function run(): Promise<void> {
    if (running === null) running = runAll()
    else isWanted = true
    return running
  }

  return {
    run,
    isWanted: () => isWanted,
    drop: () => {
      isWanted = false
    },
    settled: async () => {
      while (running !== null) await running
    },
  }
}
