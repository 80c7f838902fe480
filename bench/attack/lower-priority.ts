/** For a process that stands for another machine. */
import { existsSync, readdirSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const NICENESS = 5

/**
 * What is measured is the service, not how well two processors are shared with the attacker's own work. It still gets
 * what the service, the database and the chain leave.
 */
export function lowerPriority(pid: number): void {
  const priority = Math.min(constants.priority.PRIORITY_LOW, getPriority() + NICENESS)
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid]
  for (const thread of threads) setPriority(thread, priority)
}
