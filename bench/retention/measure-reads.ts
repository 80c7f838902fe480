/** How long lists, explain and other reads take, one after the other. */
import { percentiles } from '../floods/percentiles.ts'
import type { Call } from './retention-stand.ts'

const CALLS = 100
/** A slow one is asked less often. */
const MAX_MS = 5_000

interface Subject {
  readonly sender: string
  /** Has no transactions. */
  readonly stranger: string
  readonly id: string
  readonly hash: string
}

export async function measureReads(call: Call, subject: Subject): Promise<Readonly<Record<string, string>>> {
  const { sender, stranger, id, hash } = subject
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
  const monthsAgo = new Date(Date.now() - 99 * 86_400_000).toISOString()
  const paths: Readonly<Record<string, string>> = {
    'list, first page': '/v1/transactions?limit=50',
    'list of a signer': `/v1/transactions?limit=50&from=${sender}`,
    'list of a signer without any': `/v1/transactions?limit=50&from=${stranger}`,
    'list, CONFIRMED': '/v1/transactions?limit=50&state=CONFIRMED',
    'list, QUEUED': '/v1/transactions?limit=50&state=QUEUED',
    'list, FAILED_FINAL, none': '/v1/transactions?limit=50&state=FAILED_FINAL',
    'list, FAILED_FINAL of the last hour': `/v1/transactions?limit=50&state=FAILED_FINAL&since=${hourAgo}`,
    'list, until 99 days ago': `/v1/transactions?limit=50&until=${monthsAgo}`,
    'by request id': '/v1/transactions?requestId=original',
    'by hash': `/v1/transactions?hash=${hash}`,
    'by nonce': '/v1/transactions?nonce=5000',
    'to an address without any': `/v1/transactions?limit=50&to=${stranger}`,
    explain: `/v1/transactions/${id}/explain`,
    history: `/v1/transactions/${id}/history`,
    'signers, with their state': '/v1/signers',
  }
  const figures: Record<string, string> = {}
  for (const [what, path] of Object.entries(paths))
    figures[`${what}, p50 / p99 ms`] = await time(() => call('GET', path))
  return figures
}

async function time(run: () => Promise<unknown>): Promise<string> {
  const took: number[] = []
  const end = performance.now() + MAX_MS
  while (took.length < CALLS && performance.now() < end) {
    const startedAt = performance.now()
    await run()
    took.push(performance.now() - startedAt)
  }
  const { p50, p99 } = percentiles(took.slice(took.length > 10 ? 5 : 0))
  return `${p50.toFixed(1)} / ${p99.toFixed(1)}`
}
