/** A real node of the storm: its process, and its own connection to the database. */
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from '../../packages/dev/src/free-port.ts'
import { type LaunchedProcess, launchProcess } from '../setup/launch-process.ts'
import { createTcpRelay, type TcpRelay } from '../setup/tcp-relay.ts'
import { DATABASE, USER } from './database-server.ts'

export interface StormNode {
  readonly url: string
  readonly cable: TcpRelay
  /** Of the current or last process; null until it has printed it. */
  id(): string | null
  start(): void
  signal(signal: NodeJS.Signals): void
  /** Waits for its exit. */
  end(signal: NodeJS.Signals): Promise<void>
  isReady(): Promise<boolean>
  untilReady(): Promise<void>
  output(): string
}

interface NodeOptions {
  readonly main: string
  readonly databasePort: number
  readonly clockShiftMs: number
  readonly env: Readonly<Record<string, string>>
}

const READY_TIMEOUT_MS = 180_000
const SHIFT_CLOCK = new URL('shift-clock.mjs', import.meta.url).href

export async function createStormNode({ main, databasePort, clockShiftMs, env }: NodeOptions): Promise<StormNode> {
  const cable = await createTcpRelay({ host: '127.0.0.1', port: databasePort })
  await cable.open()
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const clock = { NODE_OPTIONS: `--import=${SHIFT_CLOCK}`, STORM_CLOCK_SHIFT_MS: String(clockShiftMs) }
  let launched: LaunchedProcess | null = null
  let nodeId: string | null = null

  const isReady = async () =>
    await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ status }) => status === 200,
      () => false,
    )

  return {
    url,
    cable,
    id: () => nodeId,
    start: () => {
      const started = launchProcess([main, 'start'], {
        DROVER_DATABASE_URL: `postgres://${USER}@127.0.0.1:${cable.port}/${DATABASE}`,
        DROVER_PORT: String(port),
        DROVER_OPEN: 'true',
        ...(clockShiftMs !== 0 && clock),
        ...env,
      })
      launched = started
      started
        .lineWhere((line) => line.includes('Drover is ready'))
        .then(
          (line) => {
            nodeId = (JSON.parse(line) as { nodeId: string }).nodeId
          },
          // Ended before it was ready: killed by the storm.
          () => {},
        )
    },
    signal: (signal) => void launched?.child.kill(signal),
    end: async (signal) => {
      launched?.child.kill(signal)
      await launched?.exited
    },
    isReady,
    untilReady: async () => {
      const end = Date.now() + READY_TIMEOUT_MS
      while (!(await isReady())) {
        const isGone = launched === null || launched.child.exitCode !== null || launched.child.signalCode !== null
        if (isGone || Date.now() > end)
          throw new Error(`a node ${isGone ? 'ended' : 'does not become ready'}:\n${launched?.output().slice(-2_000)}`)
        await delay(100)
      }
    },
    output: () => launched?.output() ?? '',
  }
}
