/** The process of a local chain: starting it, finding one that was left running, and ending it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { DevSetupError } from '../dev-setup-error.ts'
import { errorCode } from '../error-code.ts'
import { awaitExit, findCommandLine, isAlive, type ProcessIdentity, sendSignal } from '../process-watch.ts'
import { replaceFile } from '../replace-file.ts'
import { callAnvil } from './call-anvil.ts'

/** Where one chain's files are. `stateFile` is null for a chain that does not last. */
export interface ChainHome {
  readonly stateFile: string | null
  readonly processFile: string
  readonly logFile: string
  readonly workDir: string
}

/** `instanceId` is random for every anvil process: a later process on the same port is never taken for this one. */
export interface ChainProcess {
  readonly pid: number
  readonly port: number
  readonly instanceId: string | null
  readonly args: readonly string[]
}

export type LaunchOutcome =
  | { readonly type: 'ready'; readonly running: ChainProcess }
  | { readonly type: 'port_taken' }
  | { readonly type: 'failed'; readonly output: string }

const READY_TIMEOUT_MS = 60_000
const READY_POLL_MS = 5
const STOP_TIMEOUT_MS = 10_000

export async function findLeftProcess(home: ChainHome): Promise<ChainProcess | null> {
  let left: ChainProcess
  try {
    left = JSON.parse(await readFile(home.processFile, 'utf8'))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
  return isAlive(left.pid) && isOurs(left.pid, home) ? left : null
}

function isOurs(pid: number, home: ChainHome): boolean {
  return findCommandLine(pid)?.includes(home.workDir) ?? false
}

export async function launchAnvil(
  anvil: string,
  home: ChainHome,
  port: number,
  args: readonly string[],
  loadArgs: readonly string[],
): Promise<LaunchOutcome> {
  // A file, not a pipe: a chain that outlives this process must still have somewhere to write.
  const log = openSync(home.logFile, 'w', 0o600)
  const child = spawn(anvil, ['--port', String(port), ...args, ...loadArgs], {
    stdio: ['ignore', log, log],
    // A chain that lasts has its own session: Ctrl-C in a terminal reaches Drover alone, which saves the state first.
    detached: home.stateFile !== null,
    windowsHide: true,
  })
  closeSync(log)
  const ended = new Promise<string>((done) => {
    child.once('error', (error) => done(error.message))
    child.once('exit', (code, signal) => done(`exit ${code ?? signal}`))
  })
  child.unref()
  const running = { pid: child.pid ?? 0, port, instanceId: null, args }
  if (child.pid !== undefined) await saveProcess(home, running)
  const problem = await Promise.race([awaitListening(child, home.logFile), ended])
  if (problem === null) {
    const known = { ...running, instanceId: await findInstanceId(port) }
    await saveProcess(home, known)
    // One line for every request and block would be a file without end.
    await callAnvil(urlOf(port), 'anvil_setLoggingEnabled', [false])
    return { type: 'ready', running: known }
  }
  const output = await readFile(home.logFile, 'utf8')
  if (/Address already in use|os error 98|os error 48|os error 10048/.test(output)) return { type: 'port_taken' }
  return { type: 'failed', output: `${problem}\n${output}` }
}

/**
 * Waits for anvil's own word. An answer on the port would not do: of two processes that chose the same free port one
 * is about to fail, and until then sees the other's answers.
 */
async function awaitListening(child: ChildProcess, logFile: string): Promise<string | null> {
  const deadline = performance.now() + READY_TIMEOUT_MS
  while (child.exitCode === null && child.signalCode === null) {
    if ((await readFile(logFile, 'utf8')).includes('Listening on')) return null
    if (performance.now() > deadline) {
      child.kill('SIGKILL')
      return `not ready after ${READY_TIMEOUT_MS / 1000} s`
    }
    await delay(READY_POLL_MS)
  }
  return `exit ${child.exitCode ?? child.signalCode}`
}

async function saveProcess(home: ChainHome, running: ChainProcess): Promise<void> {
  await replaceFile(home.processFile, JSON.stringify(running))
}

export async function findInstanceId(port: number): Promise<string | null> {
  try {
    const metadata = await callAnvil(urlOf(port), 'anvil_metadata', [], 5_000)
    if (typeof metadata !== 'object' || metadata === null || !('instanceId' in metadata)) return null
    return typeof metadata.instanceId === 'string' ? metadata.instanceId : null
  } catch {
    // Nothing listens there, or it is not anvil.
    return null
  }
}

export async function endAnvil(anvil: ProcessIdentity): Promise<void> {
  if (!sendSignal(anvil, 'SIGTERM') || (await awaitExit(anvil.pid, STOP_TIMEOUT_MS))) return
  if (!sendSignal(anvil, 'SIGKILL') || (await awaitExit(anvil.pid, STOP_TIMEOUT_MS))) return
  throw new DevSetupError(`The local chain (process ${anvil.pid}) does not stop: end it by hand.`)
}

export function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`
}
