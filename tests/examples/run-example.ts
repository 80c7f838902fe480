/** Runs a program of `examples/` as a process of its own, the way a reader would. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface ExampleProcess {
  /** Lines of its output, as they come. */
  readonly lines: AsyncIterator<string>
  kill(signal: NodeJS.Signals): void
  /** Its exit code, null if a signal ended it, and what it wrote to standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>
}

const RUN = ['--conditions=drover-source', '--import', import.meta.resolve('tsx')]

export function startExample(
  name: string,
  url: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ExampleProcess {
  const file = fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [...RUN, file, ...args], {
    env: { PATH: process.env.PATH ?? '', DROVER_URL: url, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  return {
    lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](),
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, errors })),
  }
}

/** To its end; fails, with what it had to say, if that is not a good one. */
export async function runExample(
  name: string,
  url: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const example = startExample(name, url, [], env)
  const lines: string[] = []
  for (let line = await example.lines.next(); line.done !== true; line = await example.lines.next()) {
    lines.push(line.value)
  }
  const { code, errors } = await example.ended
  if (code !== 0) throw new Error(`${name} ended with ${code}:\n${[...lines, errors].join('\n')}`)
  return lines
}
