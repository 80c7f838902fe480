/** Runs TypeScript in a separate Node process that can be killed in the middle. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface ScriptProcess {
  readonly pid: number
  /** The next line of its output; rejects if the process ends first. */
  nextLine(): Promise<string>
  /** Sends a signal and waits for the exit. */
  kill(signal?: NodeJS.Signals): Promise<void>
}

/** `source` is a module; it may import files of this repository by their URLs. */
export function startScript(source: string, account: { uid?: number; gid?: number } = {}): ScriptProcess {
  const imports = ['--conditions=drover-source', '--import', import.meta.resolve('tsx')]
  const child = spawn(process.execPath, [...imports, '--input-type=module', '-e', source], {
    ...account,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  const ended = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    pid: child.pid ?? 0,
    nextLine: async () => {
      const line = await lines.next()
      if (line.done === true) {
        await ended
        throw new Error(`the script ended before it wrote a line: ${errors}`)
      }
      return line.value
    },
    kill: async (signal = 'SIGKILL') => {
      child.kill(signal)
      await ended
    },
  }
}
