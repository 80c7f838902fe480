/**
 * For processes that stand for another machine. What is measured is the service, not how well two processors are shared
 * with work that is done elsewhere in practice. They still get what the service and the database leave.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

const NICENESS = 5

export function lowerPriority(pid: number, niceness = NICENESS): void {
  const priority = Math.min(constants.priority.PRIORITY_LOW, getPriority() + niceness)
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid]
  for (const thread of threads) setPriority(thread, priority)
}

/**
 * For a process with a session of its own. Linux divides processors between sessions first, and looks at the priorities
 * of processes only within one.
 */
export function lowerSessionPriority(pid: number): void {
  // The others get the processor at once when they have work, as if this one ran elsewhere.
  const { status } = spawnSync('chrt', ['--all-tasks', '--idle', '--pid', '0', String(pid)])
  if (status !== 0) process.stdout.write('Without chrt, the attacker competes for the processors a little.\n')
  const session = `/proc/${pid}/autogroup`
  if (existsSync(session)) writeFileSync(session, String(constants.priority.PRIORITY_LOW))
  lowerPriority(pid, constants.priority.PRIORITY_LOW)
}
