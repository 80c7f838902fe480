/** A Node process whose output is read line by line. It ends with this process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface LaunchedProcess {
  readonly child: ChildProcess
  /** Its arguments, for people. */
  readonly name: string
  readonly exited: Promise<number | null>
  output(): string
  /** The first matching line of standard output; rejects with all output if the process ends first. */
  lineWhere(fits: (line: string) => boolean): Promise<string>
}

const LIVE = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of LIVE) child.kill('SIGKILL')
})

/** Running processes, and those that ended since `forgetEnded`. */
const KNOWN = new Set<LaunchedProcess>()

export function launchedProcesses(): readonly LaunchedProcess[] {
  return [...KNOWN]
}

export function forgetEnded(): void {
  for (const launched of KNOWN) if (!LIVE.has(launched.child)) KNOWN.delete(launched)
}

export function launchProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = '/',
  /** In a session of its own, which the system schedules beside this one and not as a part of it. */
  detached = false,
): LaunchedProcess {
  const child = spawn(process.execPath, [...args], {
    cwd,
    detached,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  LIVE.add(child)
  let text = ''
  const lines: string[] = []
  const waiting = new Set<() => void>()
  child.stderr?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    text += `${line}\n`
    lines.push(line)
    for (const look of waiting) look()
  })
  const exited = once(child, 'close').then(([code]) => {
    LIVE.delete(child)
    return code as number | null
  })
  const launched: LaunchedProcess = {
    child,
    name: args.join(' '),
    exited,
    output: () => text,
    lineWhere: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const line = lines.find(fits)
          if (line === undefined) return
          waiting.delete(look)
          resolve(line)
        }
        waiting.add(look)
        look()
        void exited.then((code) => reject(new Error(`${args.join(' ')} ended with ${code}:\n${text}`)))
      }),
  }
  KNOWN.add(launched)
  return launched
}
