/** Sends transactions at a steady pace, so that the service writes about as many events a second as asked. */
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchStack } from '../flow/stack.ts'
import { withDatabase } from '../flow/with-database.ts'

/** Accepted, nonce assigned, sent, mined, final. */
const EVENTS_PER_TRANSACTION = 5
const EVERY_MS = 200

export interface EventLoad {
  /** Events a second since the last time this was asked. */
  readRate(): Promise<number>
  stop(): Promise<void>
}

export function driveEvents(stack: BenchStack, perSecond: number): EventLoad {
  const { service, accounts, databaseUrl } = stack
  const senders = accounts.slice(0, -1)
  const batch = Math.round((perSecond / EVENTS_PER_TRANSACTION) * (EVERY_MS / 1_000))
  let isStopped = false
  let seen: { readonly count: number; readonly at: number } | null = null

  async function send(round: number): Promise<void> {
    const from = senders[round % senders.length]?.address
    const transactions = Array.from({ length: batch }, () => ({ from, to: from, value: '1', simulate: false }))
    const answer = await fetch(`${service.url}/v1/transactions/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ transactions }),
    })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`a batch was refused: ${answer.status}`)
  }

  async function run(): Promise<void> {
    const startedAt = performance.now()
    for (let round = 0; !isStopped; round++) {
      await send(round)
      await pause(Math.max(0, startedAt + (round + 1) * EVERY_MS - performance.now()))
    }
  }

  async function readRate(): Promise<number> {
    const count = await withDatabase(databaseUrl, async (client) => {
      const { rows } = await client.query('select coalesce(max(event_id), 0) as newest from tx_event')
      return Number(rows[0]?.newest)
    })
    const now = { count, at: performance.now() }
    const rate = seen === null ? 0 : (count - seen.count) / ((now.at - seen.at) / 1_000)
    seen = now
    return rate
  }

  const running = run()
  return {
    readRate,
    stop: async () => {
      isStopped = true
      await running
    },
  }
}
