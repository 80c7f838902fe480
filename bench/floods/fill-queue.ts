/** Fills the queue of one signer with batches, as fast as they are accepted. */
import { setTimeout as pause } from 'node:timers/promises'
import { type FloodReport, FloodTally } from './flood-report.ts'
import type { FloodGround } from './start-ground.ts'

const BATCH = 1_000
const RETRY_MS = 200

interface BatchAnswer {
  readonly code?: string
  readonly results?: readonly { readonly status: number; readonly transaction?: { readonly id: string } }[]
}

export async function fillQueue({ url, token, signer }: FloodGround, depth: number): Promise<FloodReport> {
  const [from] = signer.flood
  const tally = new FloodTally()
  const startedAt = performance.now()
  const rates: number[] = []
  while (tally.accepted.length < depth) {
    const transactions = Array.from({ length: BATCH }, () => ({ from, to: from, value: '1', simulate: false }))
    const sentAt = performance.now()
    const answer = await fetch(`${url}/v1/transactions/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token.flood}`, 'content-type': 'application/json' },
      body: JSON.stringify({ transactions }),
    })
    const { code, results } = (await answer.json()) as BatchAnswer
    if (results === undefined) {
      tally.refuse(`${answer.status} ${code}`, BATCH)
      await pause(RETRY_MS)
      continue
    }
    rates.push(BATCH / ((performance.now() - sentAt) / 1_000))
    for (const { status, transaction } of results) {
      if (transaction === undefined) tally.refuse(String(status))
      else tally.accepted.push(transaction.id)
    }
  }
  const part = Math.max(1, Math.floor(rates.length / 10))
  tally.notes.push(
    `accepted a second, first tenth ${mean(rates.slice(0, part))}, last tenth ${mean(rates.slice(-part))}`,
  )
  return tally.report((performance.now() - startedAt) / 1_000)
}

function mean(list: readonly number[]): string {
  return (list.reduce((sum, each) => sum + each, 0) / list.length).toFixed(0)
}
