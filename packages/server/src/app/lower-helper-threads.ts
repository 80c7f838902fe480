/**
 * Lets the helper threads of the process yield to the one that serves requests. While V8 frees memory, it marks it with
 * four threads at once. On two processors they would leave the main thread less than half of one, and every request
 * would wait. Only Linux has priorities of threads.
 */
import { existsSync, readdirSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const FOLDER = '/proc/self/task'
/** A tenth of the processor time of a thread without it, if both want the same processor. */
const NICENESS = 10

/** To be called at the start: threads that begin later are not affected. */
export function lowerHelperThreads(): void {
  if (process.platform !== 'linux') return
  const priority = Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICENESS)
  for (const thread of listThreads()) {
    try {
      if (thread !== process.pid) setPriority(thread, priority)
    } catch {
      // It has ended, or the system does not allow it. Then it keeps its priority.
    }
  }
}

function listThreads(): readonly number[] {
  return existsSync(FOLDER) ? readdirSync(FOLDER).map(Number) : []
}
