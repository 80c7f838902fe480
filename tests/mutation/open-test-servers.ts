/** Runs tests against one mutant after the other, in processes that stay up; one that hangs is ended and replaced. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestOrder } from './test-server.ts'

export type Verdict = 'noticed' | 'unnoticed' | 'timed_out'

export interface TestServer {
  run(order: TestOrder, timeoutMs: number): Promise<Verdict>
  close(): void
}

const PROGRAM = fileURLToPath(new URL('test-server.ts', import.meta.url))

export async function openTestServer(folder: string, number: number, env: NodeJS.ProcessEnv): Promise<TestServer> {
  const awakeFile = join(folder, `awake-${number}`)
  writeFileSync(awakeFile, '-1')

  async function start(): Promise<ChildProcess> {
    const options = { env: { ...env, DROVER_AWAKE: awakeFile }, execArgv: process.execArgv }
    const child = fork(PROGRAM, { ...options, stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true })
    await once(child, 'message')
    return child
  }

  let child = await start()
  return {
    async run(order, timeoutMs) {
      const verdict = await new Promise<Verdict>((resolve) => {
        const settle = (result: Verdict): void => {
          clearTimeout(timer)
          child.removeAllListeners()
          resolve(result)
        }
        // A mutant may wait or loop for ever, or end its process: that is noticed too.
        const timer = setTimeout(() => settle('timed_out'), timeoutMs)
        child.once('message', ({ noticed }: { readonly noticed: boolean }) => settle(noticed ? 'noticed' : 'unnoticed'))
        child.once('exit', () => settle('timed_out'))
        child.send(order)
      })
      if (verdict === 'timed_out') {
        child.kill('SIGKILL')
        child = await start()
      }
      return verdict
    },
    close: () => void child.kill('SIGKILL'),
  }
}
