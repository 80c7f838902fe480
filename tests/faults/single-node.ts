/** One real service on a real database, with the proxy between it and a real chain that mines when told to. */
import pg from 'pg'
import { expect, vi } from 'vitest'
import { type DevelopmentAccount, developmentAccount, type TestChain } from '../setup/anvil.ts'
import type { TestDatabase } from '../setup/database.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startGround } from '../setup/ground.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'

export type Preset = 'stable' | 'fast'
export const PRESETS: readonly Preset[] = ['stable', 'fast']

export interface SeenTransaction {
  readonly id: string
  readonly state: string
  readonly subState: string
  readonly nonce: number
  readonly hash: string
  readonly hashes: readonly string[]
  readonly inclusion: { readonly blockNumber: number; readonly blockHash: string } | null
  readonly receipt: { readonly status: string } | null
  readonly confirmations: { readonly count: number; readonly newForks: number }
  readonly error: { readonly code: string } | null
}

export interface SeenEvent {
  readonly type: string
  readonly cause: string | null
  readonly fromState: string | null
  readonly toState: string | null
  readonly subState: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

export interface SingleNode {
  readonly chain: TestChain
  readonly proxy: RpcProxy
  readonly sender: DevelopmentAccount
  /** Every intent that it has accepted. */
  readonly accepted: readonly string[]
  /** The process that runs now. */
  drover(): DroverProcess
  start(): Promise<void>
  /** After a SIGKILL its leases have run out, so that the next process need not wait for that. */
  stopService(signal?: NodeJS.Signals): Promise<void>
  send(intent?: Record<string, unknown>): Promise<string>
  /** So many intents that take their nonces, and leave, together. `meanwhile` is done after the last was accepted. */
  sendTogether(count: number, meanwhile?: () => void | Promise<void>): Promise<string[]>
  read(id: string): Promise<SeenTransaction>
  until(id: string, isGood: (tx: SeenTransaction) => boolean): Promise<SeenTransaction>
  history(id: string): Promise<readonly SeenEvent[]>
  /** Mines block after block until each of them has been in one of these states. */
  mineUntil(ids: readonly string[], ...states: readonly string[]): Promise<void>
  /** What a metric adds up to over all its labels that fit. */
  metric(name: string, labels?: string): Promise<number>
  isReady(): Promise<boolean>
  query<T extends pg.QueryResultRow>(sql: string): Promise<readonly T[]>
  readonly databaseUrl: string
  close(): Promise<void>
}

export interface SingleNodeOptions {
  readonly preset: Preset
  readonly env?: Record<string, string>
  /** More arguments for the chain's process. */
  readonly chainArgs?: readonly string[]
  /** What the service talks to, given the URLs of the proxy and of the chain itself. */
  readonly rpcUrl?: (proxyUrl: string, chainUrl: string) => string | Promise<string>
}

/** What never comes shall fail the test that waits for it, and not hold up the rest. */
vi.setConfig({ testTimeout: 300_000 })

/** Short times, so that what waits for them is over within seconds. Not so what a busy machine must not run into. */
const QUICK = {
  DROVER_FINALITY: '2',
  DROVER_RESUBMIT_INTERVAL: '1s',
  DROVER_STALE_RECEIPT_TIMEOUT: '1s',
  DROVER_LEASE_DURATION: '30s',
  DROVER_SIMULATION_TIMEOUT: '30s',
  DROVER_LEASE_RENEW_INTERVAL: '500ms',
}

/** What the time of a lease does after a crash. */
const EXPIRE_LEASES = 'update signer_lease set expires_at = clock_timestamp(); delete from node'

export async function startSingleNode(options: SingleNodeOptions): Promise<SingleNode> {
  const { preset, env, rpcUrl, chainArgs } = options
  const ground = await startGround(chainArgs === undefined ? {} : { extraArgs: chainArgs })
  const { chain, database } = ground
  const proxy = await startRpcProxy(chain.rpcUrl)
  const sender = developmentAccount(0)
  const accepted: string[] = []
  let process: DroverProcess | null = null

  function drover(): DroverProcess {
    if (process === null) throw new Error('the service does not run')
    return process
  }

  async function start(): Promise<void> {
    process = await startDrover({
      databaseUrl: database.url,
      rpcUrl: (await rpcUrl?.(proxy.url, chain.rpcUrl)) ?? proxy.url,
      signerKeys: [sender.privateKey],
      env: { ...QUICK, DROVER_SIGNER_POLICY: preset, ...env },
    })
  }

  async function stopService(signal?: NodeJS.Signals): Promise<void> {
    await process?.end(signal)
    process = null
    if (signal === 'SIGKILL') await query(database, EXPIRE_LEASES)
  }

  async function send(intent: Record<string, unknown> = {}): Promise<string> {
    const body = { from: sender.address, to: developmentAccount(9).address, value: '1', ...intent }
    const answer = await drover().post('/v1/transactions', body)
    expect(answer).toMatchObject({ status: 202 })
    accepted.push(answer.body.id)
    return answer.body.id
  }

  async function close(): Promise<void> {
    await process?.end('SIGKILL')
    await proxy.stop()
    await ground.stop()
  }

  const read = async (id: string): Promise<SeenTransaction> => (await drover().get(`/v1/transactions/${id}`)).body

  await start().catch(async (error: unknown) => {
    await close()
    throw error
  })
  return {
    chain,
    proxy,
    sender,
    accepted,
    drover,
    start,
    stopService,
    send,
    read,
    sendTogether: async (count, meanwhile) => {
      await setPaused(drover(), sender.address, true)
      const ids: string[] = []
      for (let index = 0; index < count; index++) ids.push(await send())
      await meanwhile?.()
      await setPaused(drover(), sender.address, false)
      return ids
    },
    until: (id, isGood) => eventually(() => read(id), isGood),
    history: async (id) => (await drover().get(`/v1/transactions/${id}/history`)).body.items,
    mineUntil: async (ids, ...states) => {
      let open = ids
      const mineAndRead = async () => {
        await chain.mine(1)
        const seen = await Promise.all(open.map(read))
        open = seen.flatMap(({ id, state }) => (states.includes(state) ? [] : [id]))
        return seen.filter(({ id }) => open.includes(id))
      }
      await eventually(mineAndRead, ({ length }) => length === 0, { everyMs: 150 })
    },
    metric: (name, labels = '') => readMetric(drover(), name, labels),
    isReady: async () => (await drover().get('/readyz')).status === 200,
    query: (sql) => query(database, sql),
    databaseUrl: database.url,
    close,
  }
}

async function setPaused(drover: DroverProcess, signer: string, paused: boolean): Promise<void> {
  const answer = await drover.post(`/v1/signers/${signer}/${paused ? 'pause' : 'resume'}`, { reason: 'collecting' })
  expect(answer).toMatchObject({ status: 200 })
}

async function readMetric(drover: DroverProcess, name: string, labels: string): Promise<number> {
  const lines = String((await drover.get('/metrics')).body).split('\n')
  const fitting = lines.filter((line) => line.startsWith(name) && line.includes(labels))
  return fitting.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

async function query<T extends pg.QueryResultRow>(database: TestDatabase, sql: string): Promise<readonly T[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}
