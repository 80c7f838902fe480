/** Looks at a node's memory and at its queues, many times a second. */
import { readFile } from 'node:fs/promises'
import { Client } from 'pg'

export interface NodeWatch {
  memoryMb(): Promise<number>
  /** Ends it; returns the highest values seen. */
  stop(): Promise<{ readonly peakMb: number; readonly longestQueue: number; readonly longestWebhookQueue: number }>
}

const LOOK_EVERY_MS = 200
const LONGEST = `
  select (select count(*) from managed_tx where queue_position is not null) as queued,
         (select coalesce(max(pending), 0)
            from (select count(*) as pending from webhook_delivery where state = 'PENDING' group by webhook_id) each) as pending`

export async function watchNode(pid: number, databaseUrl: string): Promise<NodeWatch> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  let [peakMb, longestQueue, longestWebhookQueue] = [0, 0, 0]
  let isStopped = false

  async function look(): Promise<void> {
    peakMb = Math.max(peakMb, await readMemory(pid))
    const { rows } = await client.query<{ queued: string; pending: string }>(LONGEST)
    longestQueue = Math.max(longestQueue, Number(rows[0]?.queued))
    longestWebhookQueue = Math.max(longestWebhookQueue, Number(rows[0]?.pending))
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      await look()
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  }

  const running = run()
  return {
    memoryMb: () => readMemory(pid),
    async stop() {
      isStopped = true
      await running
      await client.end()
      return { peakMb, longestQueue, longestWebhookQueue }
    },
  }
}

async function readMemory(pid: number): Promise<number> {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (kilobytes === undefined) throw new Error('the node has ended')
  return Number(kilobytes) / 1024
}
