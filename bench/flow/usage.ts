/** What processes have used so far, and what the service counted. Linux only: elsewhere CPU time is null. */
import { readdir, readFile } from 'node:fs/promises'
import type { BenchStack } from './stack.ts'
import { withDatabase } from './with-database.ts'

export interface Usage {
  /** Microseconds of CPU time. */
  readonly cpu: { readonly service: number; readonly chain: number; readonly postgres: number } | null
  /** Bytes. */
  readonly memory: number | null
  readonly rpcCalls: number
  /** HTTP requests; each may hold many calls. */
  readonly rpcRequests: number
  readonly databaseTransactions: number
  /** Calls to the chain by method, and statements to the database by name, as the service counts them. */
  readonly calls: Counts
  readonly statements: Counts
}

export type Counts = Readonly<Record<string, number>>

const MICROSECONDS_PER_TICK = 10_000

export async function readUsage({ service, chain, postgresPid, databaseUrl }: BenchStack): Promise<Usage> {
  const metrics = await readMetrics(service)
  return {
    cpu:
      process.platform === 'linux'
        ? {
            service: await readCpu(service.pid),
            chain: await readCpu(chain.pid),
            postgres: await readFamilyCpu(postgresPid),
          }
        : null,
    memory: sumOf(metrics, 'process_resident_memory_bytes') || null,
    rpcCalls: sumOf(metrics, 'drover_rpc_requests_total'),
    rpcRequests: sumOf(metrics, 'drover_rpc_request_seconds_count'),
    databaseTransactions: await readTransactions(databaseUrl),
    calls: countBy(metrics, 'drover_rpc_requests_total', 'method'),
    statements: countBy(metrics, 'drover_store_round_trips_total', 'operation'),
  }
}

/** Of the process and its ended children. */
async function readCpu(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks * MICROSECONDS_PER_TICK
}

async function readFamilyCpu(pid: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const parents = await Promise.all(
    pids.map(async (child) => ((await readParent(child)) === pid ? Number(child) : null)),
  )
  const family = [pid, ...parents.filter((child) => child !== null)]
  return (await Promise.all(family.map(readCpu))).reduce((sum, used) => sum + used, 0)
}

async function readParent(pid: string): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return text === null ? null : Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
}

async function readMetrics({ url, token }: BenchStack['service']): Promise<readonly string[]> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  return (await answer.text()).split('\n')
}

function sumOf(metrics: readonly string[], name: string): number {
  const own = metrics.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  return own.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

function countBy(metrics: readonly string[], name: string, label: string): Counts {
  const counts: Record<string, number> = {}
  for (const line of metrics.filter((each) => each.startsWith(`${name}{`))) {
    const value = new RegExp(`${label}="([^"]*)"`).exec(line)?.[1] ?? 'other'
    counts[value] = (counts[value] ?? 0) + Number(line.split(' ').at(-1))
  }
  return counts
}

/** All of the server, including the few of this bench. */
async function readTransactions(databaseUrl: string): Promise<number> {
  return await withDatabase(databaseUrl, async (client) => {
    const found = await client.query<{ count: string }>(
      'select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()',
    )
    return Number(found.rows[0]?.count)
  })
}
