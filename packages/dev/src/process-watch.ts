/** What can be known about another process by its id, and waiting for its end. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from './error-code.ts'

const POLL_MS = 10

/** A process that has ended but was not collected by its parent (a zombie: usual in containers) is not alive. */
export function isAlive(pid: number): boolean {
  return holdsPid(pid) && readLinuxStat(pid)?.state !== 'Z'
}

/** Whether the system still knows this id; true for a zombie as well. */
export function holdsPid(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

/** A text that differs between two processes with the same id, or '' if the system does not provide one. */
export function describeStart(pid: number): string {
  if (process.platform === 'linux') return readLinuxStat(pid)?.startTicks ?? ''
  return askPs(pid, 'lstart=') ?? ''
}

/** The command line of a process, or null if the system does not provide it. */
export function findCommandLine(pid: number): string | null {
  if (process.platform === 'linux') return readProc(pid, 'cmdline')?.replaceAll('\0', ' ') ?? null
  return askPs(pid, 'command=')
}

/**
 * Resolves to whether the process ended in time. Polls, since the system has no signal for the end of a process that is
 * not our child.
 */
export async function awaitExit(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (isAlive(pid)) {
    if (performance.now() >= deadline) return false
    await delay(POLL_MS)
  }
  return true
}

/** Resolves when the process has ended; does not keep this process alive. */
export async function watchExit(pid: number, pollMs: number): Promise<void> {
  while (isAlive(pid)) await delay(pollMs, undefined, { ref: false })
}

/** One certain process: its id may be given to another one after its end. */
export interface ProcessIdentity {
  readonly pid: number
  readonly start: string
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, start: describeStart(pid) }
}

/** Sends a signal; false when the process is no longer there. */
export function sendSignal({ pid, start }: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (describeStart(pid) !== start) return false
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false
    throw error
  }
}

function readLinuxStat(pid: number): { state: string; startTicks: string } | null {
  if (process.platform !== 'linux') return null
  const stat = readProc(pid, 'stat')
  if (stat === null) return null
  // The second field is the name in brackets and may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', startTicks: fields[19] ?? '' }
}

function readProc(pid: number, file: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return null
    throw error
  }
}

function askPs(pid: number, column: string): string | null {
  if (process.platform === 'win32') return null
  const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
  const result = spawnSync('ps', ['-ww', '-o', column, '-p', String(pid)], { encoding: 'utf8', env })
  return result.status === 0 ? result.stdout.trim() : null
}
