/**
 * A task whose runs never overlap. Calls during a run lead to one more run after it, however many there were: they may
 * have come too late for the current run.
 */
export interface CoalescedTask {
  /** Settles when no run that this call requested is left. */
  run(): Promise<void>
  /** Another run follows the current one. */
  isWanted(): boolean
  /** Forgets the calls that came during this run. */
  drop(): void
  /** Settles when no run is in progress. */
  settled(): Promise<void>
}

/** If the task rejects, the runs end: every call since then gets the error. */
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
      // In the same step as the last check: a call in between would start nothing.
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
