/** Runs one scenario twice: with a bare sender, then with the whole service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { runBareSender } from './bare-sender.ts'
import type { DriverOrder, DriverReport } from './driver.ts'
import { openStreams } from './open-streams.ts'
import type { Scenario } from './scenario.ts'
import { type BenchStack, startBenchStack } from './stack.ts'
import { type Counts, readUsage, type Usage } from './usage.ts'
import { watchBlocks } from './watch-blocks.ts'
import { withDatabase } from './with-database.ts'

export interface Percentiles {
  /** Null if it never happened. */
  readonly p50: number | null
  readonly p99: number | null
}

export interface Result {
  readonly name: string
  readonly intents: number
  readonly refused: Readonly<Record<string, number>>
  readonly barePerSecond: number
  readonly acceptedPerSecond: number
  /** Null if nothing is to be mined. */
  readonly minedPerSecond: number | null
  readonly finalPerSecond: number | null
  /** Milliseconds. */
  readonly accept: Percentiles
  readonly toBroadcast: Percentiles
  readonly toMined: Percentiles
  /** Microseconds of CPU time per intent, until all are final. */
  readonly cpu: { readonly service: number; readonly chain: number; readonly postgres: number } | null
  /** The same until all are mined, and of the driver, which shares the machine. */
  readonly cpuToMined: Result['cpu']
  readonly driverCpu: number
  readonly rpcCalls: number
  readonly rpcRequests: number
  readonly databaseTransactions: number
  readonly memoryMb: number | null
  /** Per intent, most frequent first. */
  readonly calls: Counts
  readonly statements: Counts
}

const CALLERS = 64
const DRIVER = fileURLToPath(new URL('./driver.ts', import.meta.url))

export async function runScenario(scenario: Scenario): Promise<Result> {
  const barePerSecond = await runBareSender(scenario)
  const stack = await startBenchStack(scenario)
  try {
    const streams = await openStreams(stack.service, scenario.streams ?? 0)
    await settle(stack)
    if (scenario.paused === true) await pauseSigners(stack)
    if (scenario.warmUp !== undefined) await warmUp(stack, { ...scenario, intents: scenario.warmUp })
    const before = await readUsage(stack)
    const watch = await watchBlocks(stack.chain)
    const driving = runDriver(stack, scenario, false)
    const minedAt = scenario.paused === true ? null : await watch.untilMined(scenario.intents)
    const atMined = minedAt === null ? null : await readUsage(stack)
    const report = await driving
    const isEndless = scenario.paused === true || scenario.neverFinal === true
    const { finalAt, looks } = isEndless ? NEVER : await untilFinal(stack)
    const used = await readUsage(stack)
    const after = { ...used, databaseTransactions: used.databaseTransactions - looks }
    streams.close()
    const since = (end: number) => scenario.intents / ((end - report.startedAt) / 1_000)
    const sinceOrNull = (end: number | null) => (end === null ? null : since(end))
    return {
      name: scenario.name,
      intents: scenario.intents,
      refused: report.refused,
      barePerSecond,
      acceptedPerSecond: since(report.endedAt),
      minedPerSecond: sinceOrNull(minedAt),
      finalPerSecond: sinceOrNull(finalAt),
      accept: { p50: pick(report.latencies, 0.5), p99: pick(report.latencies, 0.99) },
      ...(await readLatencies(stack)),
      ...perIntent(before, after, scenario.intents),
      cpuToMined: atMined && cpuPerIntent(before, atMined, scenario.intents),
      driverCpu: report.cpuMicroseconds / scenario.intents,
    }
  } finally {
    await stack.stop()
  }
}

/** A first intent, so that one-time work is done. */
async function settle({ service, accounts, chain }: BenchStack): Promise<void> {
  const watch = await watchBlocks(chain)
  await Promise.all(
    accounts.map(({ address }) =>
      fetch(`${service.url}/v1/transactions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${service.token}` },
        body: JSON.stringify({ from: address, to: address, value: '1', metadata: { warm: 'up' } }),
      }),
    ),
  )
  await watch.untilMined(accounts.length)
}

async function pauseSigners({ service, accounts }: BenchStack): Promise<void> {
  for (const { address } of accounts) {
    const answer = await fetch(`${service.url}/v1/signers/${address}/pause`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${service.token}` },
      body: JSON.stringify({ reason: 'bench' }),
    })
    if (!answer.ok) throw new Error(`a signer was not paused: ${answer.status}`)
  }
}

/** Warm-up: after a while a service has compiled code and a larger window. Its own finality is not measured. */
async function warmUp(stack: BenchStack, scenario: Scenario): Promise<void> {
  const watch = await watchBlocks(stack.chain)
  await runDriver(stack, scenario, true)
  if (scenario.paused === true) return
  await watch.untilMined(scenario.intents)
  if (scenario.neverFinal !== true) await untilFinal(stack)
}

async function runDriver(
  { service, accounts, chain }: BenchStack,
  scenario: Scenario,
  isWarmUp: boolean,
): Promise<DriverReport> {
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), DRIVER], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const order: DriverOrder = {
    url: service.url,
    token: service.token,
    from: accounts.map(({ address }) => address),
    intents: scenario.intents,
    simulate: scenario.simulate,
    perSecond: scenario.perSecond ?? null,
    batch: scenario.batch ?? 1,
    callers: scenario.callers ?? CALLERS,
    isWarmUp,
  }
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  if (!isWarmUp) await (await watchBlocks(chain)).nextBlock()
  child.stdin.end(`${JSON.stringify(order)}\n`)
  const [line] = (await once(lines, 'line')) as [string]
  return JSON.parse(line) as DriverReport
}

const LOOK_EVERY_MS = 100
const NEVER = { finalAt: null, looks: 0 } as const

/** Waits until all are mined and none is open. Reads partial indexes, so the check costs almost nothing. */
async function untilFinal({ databaseUrl, service }: BenchStack) {
  return await withDatabase(databaseUrl, async (client) => {
    for (let looks = 1; ; looks++) {
      const { rows } = await client.query<{ is_open: boolean }>(
        `select exists (select from managed_tx where nonce is not null and final_at is null)
             or exists (select from managed_tx where queue_position is not null) as is_open`,
      )
      if (rows[0]?.is_open === false) return { finalAt: Date.now(), looks }
      const health = await fetch(`${service.url}/healthz`)
      if (!health.ok) throw new Error('the service is gone')
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    }
  })
}

async function readLatencies({ databaseUrl }: BenchStack): Promise<Pick<Result, 'toBroadcast' | 'toMined'>> {
  return await withDatabase(databaseUrl, async (client) => {
    const of = (column: string, share: number) =>
      `percentile_cont(${share}) within group (order by extract(epoch from ${column} - created_at) * 1000)`
    const { rows } = await client.query<Record<'b50' | 'b99' | 'm50' | 'm99', number | null>>(
      `select ${of('submitted_at', 0.5)} as b50, ${of('submitted_at', 0.99)} as b99,
              ${of('mined_at', 0.5)} as m50, ${of('mined_at', 0.99)} as m99
         from managed_tx where metadata = '{}'`,
    )
    const [row] = rows
    if (row === undefined) throw new Error('no transaction was stored')
    return { toBroadcast: { p50: row.b50, p99: row.b99 }, toMined: { p50: row.m50, p99: row.m99 } }
  })
}

function cpuPerIntent(before: Usage, after: Usage, intents: number): Result['cpu'] {
  const cpuOf = (part: 'service' | 'chain' | 'postgres') =>
    ((after.cpu?.[part] ?? 0) - (before.cpu?.[part] ?? 0)) / intents
  return after.cpu && { service: cpuOf('service'), chain: cpuOf('chain'), postgres: cpuOf('postgres') }
}

function perIntent(before: Usage, after: Usage, intents: number) {
  return {
    cpu: cpuPerIntent(before, after, intents),
    rpcCalls: (after.rpcCalls - before.rpcCalls) / intents,
    rpcRequests: (after.rpcRequests - before.rpcRequests) / intents,
    databaseTransactions: (after.databaseTransactions - before.databaseTransactions) / intents,
    memoryMb: after.memory === null ? null : after.memory / 2 ** 20,
    calls: countsPerIntent(before.calls, after.calls, intents),
    statements: countsPerIntent(before.statements, after.statements, intents),
  }
}

function countsPerIntent(before: Counts, after: Counts, intents: number): Counts {
  const counts = Object.entries(after).map(([name, count]) => [name, (count - (before[name] ?? 0)) / intents] as const)
  return Object.fromEntries(counts.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a))
}

function pick(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
