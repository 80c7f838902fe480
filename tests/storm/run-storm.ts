/**
 * The storm: three real nodes, a PostgreSQL primary with a standby, real chains behind bad RPC endpoints, load on every
 * path, and faults planned by a seed. Afterwards everything must become final, and a checker reads the chains, the
 * database, the stream and the webhook log.
 */
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isPassing } from '../../packages/client/src/transport/retry.ts'
import { createChance } from '../fuzz/chance.ts'
import { developmentAccount } from '../setup/anvil.ts'
import { checkOutcome } from './check-outcome.ts'
import { followStream, startReceiver } from './consumers.ts'
import { type DatabasePair, startDatabasePair } from './database-pair.ts'
import { DATABASE } from './database-server.ts'
import { createFaults } from './faults.ts'
import { judgeAlarms } from './judge-alarms.ts'
import { watchLeases } from './lease-watch.ts'
import { type Api, createLoad, type Load, NO_ANSWER } from './load.ts'
import { type FaultKind, type PlannedFault, planStorm, type StormPlan } from './plan-faults.ts'
import { readOutcome } from './read-outcome.ts'
import { keepSending, runReserver } from './reservers.ts'
import { type StormChain, startAnvilChain, startGethChain } from './storm-chain.ts'
import { createStormLog, type FaultRecord, type StormLog } from './storm-log.ts'
import { createStormNode, type StormNode } from './storm-node.ts'
import { composeReport, type StormReport } from './storm-report.ts'

export interface StormOptions {
  readonly seed: number
  readonly minutes: number
  readonly intentsPerSecond: number
  /** The compiled command line. */
  readonly main: string
  /** Prints what happens. */
  tell(line: string): void
}

const NODES = 3
/** The last of these is `stable`; one more also has reserved nonces. */
const FAST = 8
const FINALITY = 5
const DRAIN_MS = 300_000
const ACCOUNTS = Array.from({ length: FAST + 2 }, (_, index) => developmentAccount(index))
const [STABLE, RESERVED] = ACCOUNTS.slice(FAST)

const ENV = {
  DROVER_LEASE_DURATION: '3s',
  DROVER_LEASE_RENEW_INTERVAL: '700ms',
  DROVER_LOG_LEVEL: 'info',
  DROVER_SIGNER_POLICY: `fast,${STABLE?.address}=stable`,
  DROVER_EVENT_HEARTBEAT: '1s',
  DROVER_SIGNER_KEYS: ACCOUNTS.map(({ privateKey }) => privateKey).join(),
  DROVER_RESUBMIT_INTERVAL: '3s',
  DROVER_WEBHOOK_ALLOW_PRIVATE: 'true',
  DROVER_WEBHOOK_RETRY_INTERVAL: '200ms',
  DROVER_WEBHOOK_RETRY_MAX_INTERVAL: '1s',
}

interface Ground {
  readonly folder: string
  readonly plan: StormPlan
  readonly log: StormLog
  readonly database: DatabasePair
  readonly chains: readonly StormChain[]
  readonly nodes: readonly StormNode[]
}

export async function runStorm(options: StormOptions): Promise<StormReport> {
  const log = createStormLog()
  const beganAt = performance.now()
  const ground = await prepare(options, log)
  try {
    const startedAt = await rage(options, ground)
    const { plan, database, chains } = ground
    const signers = ACCOUNTS.map(({ address }) => address.toLowerCase())
    const outcome = await readOutcome({ databaseUrl: database.primary().url(DATABASE), chains, signers })
    const endpointsOf = new Map(chains.map(({ chainId }, index) => [chainId, [2 * index, 2 * index + 1]]))
    const reserved = [RESERVED?.address.toLowerCase() ?? '']
    return composeReport(plan, log, outcome, {
      violations: checkOutcome(log, outcome),
      alarms: judgeAlarms(outcome, { startedAt, weather: plan.weather, faults: log.faults, endpointsOf, reserved }),
      seconds: Math.round((performance.now() - beganAt) / 1_000),
    })
  } finally {
    await Promise.all(ground.nodes.map((node) => node.end('SIGKILL')))
    await Promise.all(ground.chains.map((chain) => chain.stop()))
    await ground.database.remove()
  }
}

async function prepare({ seed, minutes, main, tell }: StormOptions, log: StormLog): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'drover-storm-'))
  const database = await startDatabasePair(folder)
  const chains = [await startAnvilChain(ACCOUNTS.length, seed)]
  const geth = await startGethChain(
    ACCOUNTS.map(({ address }) => address),
    seed + 10,
  )
  const without: FaultKind[] = []
  if (typeof geth !== 'string') chains.push(geth)
  else {
    without.push('chain_crash')
    log.skipped.push(`a chain on geth: ${geth}`)
  }
  if (!database.canFillDisk) {
    without.push('disk_full')
    log.skipped.push('disk full: this process may not mount a small disk (needs Linux and root)')
  }
  const endpoints = chains.flatMap((chain) => chain.endpoints).length
  const plan = planStorm({ seed, minutes, nodes: NODES, endpoints, maxDepth: FINALITY - 2, without })
  for (const reason of log.skipped) tell(`SKIPPED: ${reason}`)
  const file = join(folder, 'drover.config.json')
  const settings = chains.map(({ chainId, endpoints }) => ({
    chainId,
    rpcUrl: endpoints.map(({ url }) => url).join(),
    finality: FINALITY,
    pollInterval: '200ms',
    blockTime: '1s',
  }))
  await writeFile(file, JSON.stringify({ chains: settings }))
  const nodes: StormNode[] = []
  for (let index = 0; index < NODES; index++) {
    const clockShiftMs = index === plan.clock.node ? plan.clock.shiftMs : 0
    const env = { ...ENV, DROVER_CONFIG_FILE: file }
    nodes.push(await createStormNode({ main, databasePort: database.primary().port, clockShiftMs, env }))
  }
  for (const node of nodes) node.start()
  await Promise.all(nodes.map((node) => node.untilReady()))
  return { folder, plan, log, database, chains, nodes }
}

/** From the first request until everything is final; returns when it began. */
async function rage({ minutes, intentsPerSecond, tell }: StormOptions, ground: Ground): Promise<number> {
  const { plan, log, database, chains, nodes } = ground
  const api = createApi(nodes, log)
  const chance = createChance(plan.seed + 1)
  const receiver = await startReceiver(log, chance)
  const made = await api.post('/v1/webhooks', { url: receiver.url, after: 0 })
  if (made.status !== 201) throw new Error(`no webhook: ${JSON.stringify(made.body)}`)
  const leases = watchLeases(log, () => readLeases(database))
  let turn = 0
  const stream = followStream(log, () => nodes[turn++ % nodes.length]?.url ?? '')
  const startedAt = Date.now()
  const state = { isOver: false, isDrained: false }
  const isOver = () => state.isOver
  const lanesOf = (chain: StormChain | undefined, accounts: readonly { readonly address: string }[]) =>
    chain === undefined ? [] : accounts.map(({ address }) => ({ chainId: chain.chainId, signer: address }))
  const [first, second] = chains
  const fast = [...lanesOf(first, ACCOUNTS.slice(0, FAST)), ...lanesOf(second, ACCOUNTS.slice(0, 2))]
  const stable = lanesOf(first, STABLE === undefined ? [] : [STABLE])
  const load = createLoad({ api, chance, log, fast, stable, isOver })
  const working: Promise<unknown>[] = [load.run(intentsPerSecond)]
  const sending = first === undefined ? Promise.resolve() : keepSending(log, first.rpc, () => state.isDrained)
  if (first !== undefined && RESERVED !== undefined) {
    const { chainId, rpc } = first
    working.push(runReserver({ api, chance, log, account: RESERVED, chainId, rpc, isOver }))
  }
  const inflict = createFaults({ nodes, chains, database, receiver, leases, log })
  const suffering = plan.faults.map((fault) => suffer(fault, { log, load, api, inflict, tell, startedAt }))
  const clouds = plan.weather.map(({ endpoint, weather, atMs, untilMs }) =>
    rain(chains, endpoint, weather, startedAt, atMs, untilMs),
  )
  await delay(minutes * 60_000)
  state.isOver = true
  tell('the storm is over; waiting until everything has ended')
  await Promise.all([...working, ...suffering, ...clouds])
  await Promise.all(nodes.map((node) => revive(node)))
  await drain(ground, tell)
  state.isDrained = true
  await Promise.all([sending, leases.stop(), stream.stop()])
  await receiver.stop()
  return startedAt
}

/** A node that gave up is a violation. It is restarted, so that the rest can be judged. */
async function revive(node: StormNode): Promise<void> {
  await node.untilReady().catch(async () => {
    node.start()
    await node.untilReady()
  })
}

interface Sufferer {
  readonly log: StormLog
  readonly load: Load
  readonly api: Api
  readonly inflict: (fault: PlannedFault) => Promise<void>
  readonly startedAt: number
  tell(line: string): void
}

/** Runs the fault at its time, with a probe intent sent as it starts. */
async function suffer(fault: PlannedFault, { log, load, api, inflict, tell, startedAt }: Sufferer): Promise<void> {
  await delay(Math.max(0, startedAt + fault.atMs - Date.now()))
  const record: FaultRecord = {
    kind: fault.kind,
    startedAt: Date.now(),
    endedAt: Number.POSITIVE_INFINITY,
    probeMinedAt: null,
  }
  log.faults.push(record)
  tell(`${((record.startedAt - startedAt) / 1_000).toFixed(1)} s: ${fault.kind}`)
  const probing = probe(load, api).then((at) => {
    record.probeMinedAt = at
  })
  await inflict(fault).catch((error: unknown) => void log.broken.push(`${fault.kind}: ${error}`))
  record.endedAt = Date.now()
  await probing
}

async function probe(load: Load, api: Api): Promise<number | null> {
  const id = await load.send('probe')
  const end = Date.now() + DRAIN_MS
  while (Date.now() < end) {
    const { status, body } = await api.get(`/v1/transactions/${id}`)
    if (status === 200 && body.inclusion !== null) return Date.now()
    await delay(100)
  }
  return null
}

async function rain(
  chains: readonly StormChain[],
  endpoint: number,
  weather: Parameters<StormChain['endpoints'][number]['setWeather']>[0],
  startedAt: number,
  atMs: number,
  untilMs: number,
): Promise<void> {
  const target = chains.flatMap((chain) => chain.endpoints)[endpoint]
  await delay(Math.max(0, startedAt + atMs - Date.now()))
  target?.setWeather(weather)
  await delay(Math.max(0, startedAt + untilMs - Date.now()))
  target?.setWeather('calm')
}

/** The answer of the next node that gives one; `NO_ANSWER` if none does. A failure that the client would not retry is noted. */
function createApi(nodes: readonly StormNode[], log: StormLog): Api {
  let turn = 0
  async function ask(method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    const url = `${nodes[turn++ % nodes.length]?.url}${path}`
    try {
      const response = await fetch(url, {
        method,
        signal: AbortSignal.timeout(20_000),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (response.status >= 500 && !isPassing(response.status))
        log.refused.push(`${method} ${path} ${response.status} ${text.slice(0, 300)}`)
      return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
    } catch {
      // Down, frozen or cut off: try the next one.
      return { status: NO_ANSWER, body: null }
    }
  }
  return { post: (path, body, headers) => ask('POST', path, body, headers), get: (path) => ask('GET', path) }
}

async function readLeases(database: DatabasePair) {
  return await database
    .primary()
    .query<{ lane: string; owner: string | null; wanted: boolean }>(
      `select chain_id || ':' || encode(signer, 'hex') as lane, owner_node as owner, wanted_by is not null as wanted from signer_lease`,
      DATABASE,
    )
}

/** Waits until nothing is open and every event was delivered. The checker reports what did not end in time. */
async function drain({ database, log }: Ground, tell: (line: string) => void): Promise<void> {
  const end = Date.now() + DRAIN_MS
  while (Date.now() < end) {
    const [row] = await database.primary().query<{ open: string; reserved: string; last: string }>(
      `
      select (select count(*) from managed_tx where state not in ('CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED')) as open,
             (select count(*) from nonce_reservation where final_at is null) as reserved,
             (select coalesce(max(event_id), 0) from tx_event) as last`,
      DATABASE,
    )
    const last = Number(row?.last)
    const isTold =
      log.stream.at(-1)?.eventId === last && new Set(log.webhooks.map(({ eventId }) => eventId)).size >= last
    if (Number(row?.open) === 0 && Number(row?.reserved) === 0 && isTold) return
    await delay(500)
  }
  tell('not everything ended in time')
}
