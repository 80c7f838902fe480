/** `startDrover`: the service inside another program, with its own PostgreSQL and without HTTP. */
import { ConfigProblems, type Drover, type DroverSettings, startDrover, WaitEnded } from '@drover/server'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { runExample } from '../examples/run-example.ts'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { startGround } from '../setup/ground.ts'

const { address: FROM, privateKey } = developmentAccount(0)
const TO = developmentAccount(9).address

let chain: TestChain
let database: TestDatabase
let stopGround: () => Promise<void>
const started: Drover[] = []

beforeAll(async () => {
  ;({ chain, database, stop: stopGround } = await startGround({ blockTimeSeconds: 1 }))
})

afterEach(async () => {
  for (const drover of started.splice(0)) await drover.stop()
})

afterAll(() => stopGround?.())

const lines: string[] = []
const log = { write: (line: string) => void lines.push(line) }

async function start(settings: Partial<DroverSettings> = {}, options = {}): Promise<Drover> {
  const drover = await startDrover(
    {
      databaseUrl: database.url,
      rpcUrl: chain.rpcUrl,
      signerKeys: [privateKey],
      finality: 1,
      pollInterval: '100ms',
      signerPolicy: 'fast',
      simulationTimeout: '30s',
      ...settings,
    },
    { log, ...options },
  )
  started.push(drover)
  return drover
}

test('submit, get, wait, explain and events work without HTTP and without an API key', async () => {
  const drover = await start()
  expect(drover.url).toBeNull()
  const accepted = await drover.submit({ from: FROM, to: TO, value: 7n, requestId: 'library-1' })
  expect(accepted).toMatchObject({ value: '7', requestId: 'library-1' })
  expect(await drover.submit({ from: FROM, to: TO, value: 7n, requestId: 'library-1' })).toMatchObject({
    id: accepted.id,
  })
  await expect(drover.submit({ from: FROM, to: TO, value: 8n, requestId: 'library-1' })).rejects.toMatchObject({
    code: 'idempotency_conflict',
  })
  const confirmed = await drover.wait(accepted.id, 'confirmed')
  expect(confirmed.state).toBe('CONFIRMED')
  expect(await drover.get(confirmed.hash ?? '')).toMatchObject({ id: accepted.id, state: 'CONFIRMED' })
  expect((await drover.explain(accepted.id)).summary).not.toBe('')
  const types: string[] = []
  for await (const event of drover.events()) {
    if (event.transactionId !== accepted.id) continue
    types.push(event.type)
    if (event.completion !== null) break
  }
  expect(types.at(0)).toBe('accepted')
  expect(types).toContain('finality.reached')
  expect(await drover.problems()).toEqual([])
  expect(await drover.metrics()).toContain('drover_')
})

test('a request that is wrong names the field; one that is unknown is not found', async () => {
  const drover = await start()
  await expect(drover.submit({ from: FROM, to: '0x12', value: 1n })).rejects.toMatchObject({
    code: 'invalid_request',
    details: { field: 'to' },
  })
  await expect(drover.get('0'.repeat(10))).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(drover.get('00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({ code: 'not_found' })
})

test('settings that are wrong are all named at once, as the program wrote them', async () => {
  const wrong = startDrover({ databaseUrl: 'mysql://x', finalty: 3, chains: [{ finality: 'soon' }] } as never, { log })
  const problem = await wrong.catch((error: unknown) => error)
  expect(problem).toBeInstanceOf(ConfigProblems)
  const places = (problem as ConfigProblems).problems.map(({ place }) => place)
  expect(places).toEqual(expect.arrayContaining(['databaseUrl', 'finalty', 'chains[0].finality', 'chains[0].rpcUrl']))
  expect(String(problem)).not.toContain('configuration file')
})

describe('stop', () => {
  test('ends waits and loops over events, gives up the leases and closes every connection', async () => {
    const drover = await start({ finality: 1_000, headerWindow: 1_100 })
    const { id } = await drover.submit({ from: FROM, to: TO, value: 1n })
    await drover.wait(id, 'mined')
    const waiting = drover.wait(id, 'confirmed').catch((error: unknown) => error)
    const loops = [0, 'latest' as const].map(async (after) => {
      let count = 0
      for await (const _ of drover.events({ after })) count += 1
      return count
    })
    await drover.stop()
    await drover.stop()
    const ended = await waiting
    expect(ended).toBeInstanceOf(WaitEnded)
    expect(ended).toMatchObject({ outcome: 'stopping', transaction: { id } })
    await Promise.all(loops)
    expect(await readState()).toEqual({ connections: 0, leases: 0 })
  })

  test('a signal ends one wait and one loop; Drover goes on', async () => {
    const drover = await start({ finality: 1_000, headerWindow: 1_100 })
    const { id } = await drover.submit({ from: FROM, to: TO, value: 1n })
    const leave = new AbortController()
    const waiting = drover.wait(id, 'confirmed', { signal: leave.signal }).catch((error: unknown) => error)
    const loop = (async () => {
      for await (const _ of drover.events({ after: 'latest', signal: leave.signal }));
    })()
    leave.abort(new Error('enough'))
    expect(await waiting).toMatchObject({ message: 'enough' })
    await loop
    await expect(drover.wait(id, 'confirmed', { timeoutMs: 1 })).rejects.toMatchObject({ outcome: 'timeout' })
    expect((await drover.wait(id, 'mined')).id).toBe(id)
  })
})

test('a start that fails leaves no connection open', async () => {
  await expect(start({ stuckHook: '/there/is/no/such/hook.mjs' })).rejects.toThrow()
  expect((await readState()).connections).toBe(0)
  // No API key, and it would listen.
  await expect(start({ port: 0 }, { http: true })).rejects.toThrow('API key')
  expect((await readState()).connections).toBe(0)
})

test('a start that waits for its database ends with the signal', async () => {
  const leave = new AbortController()
  const seen = lines.length
  const starting = start({ databaseUrl: 'postgres://drover@127.0.0.1:1/none' }, { signal: leave.signal })
  const ended = starting.catch((error: unknown) => error)
  await eventually(
    async () => lines.slice(seen).join(''),
    (text) => text.includes('waiting for the database'),
    { everyMs: 20 },
  )
  leave.abort(new Error('no more'))
  expect(await ended).toMatchObject({ message: 'no more' })
})

test('with HTTP it listens, and both ways see the same transactions', async () => {
  const drover = await start({ port: 0, open: true }, { http: true })
  const { id } = await drover.submit({ from: FROM, to: TO, value: 1n })
  const answer = await fetch(`${drover.url}/v1/transactions/${id}`)
  expect(await answer.json()).toMatchObject({ id, value: '1' })
})

test('two programs on one database: either accepts, one of them sends', async () => {
  const other = await createTestDatabase()
  try {
    const { address: from, privateKey: key } = developmentAccount(1)
    const shared = { databaseUrl: other.url, signerKeys: [key] }
    const [first, second] = [await start(shared), await start(shared)]
    expect(first.nodeId).not.toBe(second.nodeId)
    const { id } = await second.submit({ from, to: TO, value: 1n, requestId: 'shared' })
    expect((await first.submit({ from, to: TO, value: 1n, requestId: 'shared' })).id).toBe(id)
    expect((await first.wait(id, 'confirmed')).state).toBe('CONFIRMED')
    await Promise.all([first.stop(), second.stop()])
  } finally {
    await other.drop()
  }
})

test('the example of the guide does what it says, and ends by itself', async () => {
  const { address, privateKey: key } = developmentAccount(2)
  const lines = await runExample('embed', '', {
    DATABASE_URL: database.url,
    RPC_URL: chain.rpcUrl,
    SIGNER_KEY: key,
    SIGNER: address,
  })
  expect(lines).toEqual([expect.stringMatching(/^confirmed 0x\w{64}$/), 'invoice-17 is CONFIRMED'])
})

test('no secret is in a log line', () => {
  expect(lines.join('')).not.toContain(privateKey.slice(2))
})

async function readState(): Promise<{ readonly connections: number; readonly leases: number }> {
  const client = new Client(database.url)
  await client.connect()
  try {
    const others = await eventually(
      () =>
        client.query<{ count: string }>(
          'select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        ),
      ({ rows }) => rows[0]?.count === '0',
      { everyMs: 50 },
    )
    const leases = await client.query<{ count: string }>(
      'select count(*) from signer_lease where owner_node is not null and expires_at > clock_timestamp()',
    )
    return { connections: Number(others.rows[0]?.count), leases: Number(leases.rows[0]?.count) }
  } finally {
    await client.end()
  }
}
