/** A Node process whose output is read line by line. It ends with this one. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface LaunchedProcess {
  readonly pid: number
  /** The first line that fits, from now on or before. */
  lineWhere(fits: (line: string) => boolean): Promise<string>
  end(): Promise<void>
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function launchProcess(args: readonly string[], env: Readonly<Record<string, string>>): LaunchedProcess {
  const { PATH = '', HOME = '/' } = process.env
  const child = spawn(process.execPath, [...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const note = (line: string): void => {
    lines.push(line)
    for (const look of waiting) look()
  }
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', note)
  const exited = once(child, 'close').then(() => void running.delete(child))
  return {
    pid: child.pid ?? 0,
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
        void exited.then(() => reject(new Error(`${args.join(' ')} ended:\n${lines.slice(-20).join('\n')}`)))
      }),
    end: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}
