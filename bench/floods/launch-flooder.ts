/** Starts a flood in a process of its own, with a lower priority: it stands for other machines. */
import { fileURLToPath } from 'node:url'
import { launchProcess } from '../../tests/setup/launch-process.ts'
import { lowerPriority } from '../attack/lower-priority.ts'
import type { FloodOrder, FloodReport } from './flood-report.ts'

const FLOODER = fileURLToPath(new URL('./flooder.ts', import.meta.url))

export interface Flooder {
  begin(): void
  end(): Promise<FloodReport>
}

/** Resolves when it has loaded. */
export async function launchFlooder(order: FloodOrder): Promise<Flooder> {
  const launched = launchProcess(['--import', import.meta.resolve('tsx'), FLOODER], { FLOOD: JSON.stringify(order) })
  await launched.lineWhere((line) => line === 'ready')
  lowerPriority(launched.child.pid ?? 0)
  return {
    begin: () => void launched.child.kill('SIGUSR2'),
    async end() {
      const line = launched.lineWhere((text) => text.startsWith('{'))
      launched.child.kill('SIGTERM')
      const report = JSON.parse(await line) as FloodReport
      await launched.exited
      return report
    },
  }
}
