/**
 * Nodes are replaced one by one while clients send through a load balancer: the last release, then this one on the same
 * database, then the schema of a next release under this one. Nothing is lost or doubled, and no client sees an error.
 */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDrover, type Drover, type TransactionHandle } from '../../packages/client/src/index.ts'
import { LATEST_SCHEMA_VERSION } from '../../packages/server/src/store/postgres/migrate.ts'
import { developmentAccount, startTestChain, type TestChain } from '../setup/anvil.ts'
import { readAll } from '../setup/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import { buildRelease, findLastRelease, type Release } from '../setup/last-release.ts'
import { type LoadBalancer, startLoadBalancer } from '../setup/load-balancer.ts'

const SIGNERS = [0, 1, 2, 3].map(developmentAccount)
/** Patient, because a busy machine is no failure. */
const ENV = {
  DROVER_FINALITY: '1',
  DROVER_SIGNER_POLICY: 'fast',
  DROVER_SIMULATION_TIMEOUT: '30s',
  DROVER_SHUTDOWN_TIMEOUT: '2m',
}
const last = findLastRelease()

let chain: TestChain
let database: TestDatabase
let balancer: LoadBalancer
let release: Release | null = null
const nodes: DroverProcess[] = []
const load = { isOver: false, accepted: [] as string[], errors: [] as unknown[], retried: [] as string[] }
let workers: readonly Promise<void>[] = []

beforeAll(async () => {
  ;[chain, database, balancer, release] = await Promise.all([
    startTestChain({ accounts: SIGNERS.length, blockTimeSeconds: 1 }),
    createTestDatabase(null),
    startLoadBalancer(),
    last === null ? null : buildRelease(last),
  ])
  await startNode(release?.main)
  await startNode(release?.main)
  // As often as it takes: how long a start takes is up to the machine. What the client does not retry at all still fails.
  const retry = { maxTries: 1_000, maxDelayMs: 1_000 }
  const drover = createDrover({ url: balancer.url, retry, onRetry: ({ error }) => load.retried.push(String(error)) })
  workers = SIGNERS.map(({ address }) => sendWhileOpen(drover, address))
})

afterAll(async () => {
  load.isOver = true
  await Promise.all(nodes.map((node) => node.end('SIGKILL')))
  await Promise.all(workers)
  await balancer?.stop()
  await Promise.all([chain?.stop(), database?.drop(), release?.remove()])
})

async function startNode(main?: string): Promise<void> {
  const node = await startDrover({
    databaseUrl: database.url,
    rpcUrl: chain.rpcUrl,
    signerKeys: SIGNERS.map(({ privateKey }) => privateKey),
    env: ENV,
    ...(main !== undefined && { main }),
  })
  nodes.push(node)
  balancer.add(node.url)
}

/** As systemd or Kubernetes do it: told to stop, and out of the load balancer. */
async function stopOldest(): Promise<void> {
  const node = nodes.shift()
  if (node === undefined) throw new Error('no node runs')
  const exited = node.end('SIGTERM')
  balancer.remove(node.url)
  expect(await exited, node.output()).toBe(0)
}

/** One caller: sends, reads what it sent, and sends the next. */
async function sendWhileOpen(drover: Drover, from: `0x${string}`): Promise<void> {
  while (!load.isOver) {
    try {
      const sent: TransactionHandle = await drover.send({ from, to: from, value: 1n })
      load.accepted.push(sent.id)
      await drover.transactions.get(sent.id)
    } catch (error) {
      load.errors.push(error)
      return
    }
  }
}

/** Accepted after this call, as a sign that the service works as it is now. */
async function awaitMoreAccepted(): Promise<void> {
  const wanted = load.accepted.length + 20
  await eventually(
    async () => ({ accepted: load.accepted.length, errors: load.errors.map(String) }),
    ({ accepted, errors }) => accepted >= wanted || errors.length > 0,
  )
  expect(load.errors).toEqual([])
}

test.skipIf(last === null)(
  'the last release and this one work side by side, while nodes are replaced one by one',
  async () => {
    await awaitMoreAccepted()
    // It brings the schema up to date, while the old ones are at work.
    await startNode()
    await awaitMoreAccepted()
    for (const old of nodes.slice(0, 2)) expect((await old.get('/v1/signers')).status).toBe(200)
    await stopOldest()
    await awaitMoreAccepted()
    await startNode()
    await stopOldest()
    await awaitMoreAccepted()
  },
)

test('this release works on a schema to which the next one has added', async () => {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const tables = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  for (const { name } of tables.rows) await addColumn(client, name)
  await client.query(`insert into schema_migration values ($1, 'next', 'x')`, [LATEST_SCHEMA_VERSION + 1])
  await client.end()
  await awaitMoreAccepted()
  for (const node of nodes) {
    const { status, body } = await node.get('/readyz')
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.problems).toContainEqual(expect.objectContaining({ part: 'schema' }))
  }
})

test('nothing was lost or doubled, and no client saw an error', async () => {
  load.isOver = true
  await Promise.all(workers)
  expect(load.errors).toEqual([])
  const [node] = nodes
  if (node === undefined) throw new Error('no node runs')
  await eventually(
    async () => (await node.get('/v1/transactions?state=QUEUED,ALLOCATED,TRACKING,STUCK&limit=1')).body.items,
    (open: readonly unknown[]) => open.length === 0,
  )
  await expectExactlyOnce(chain, await readAll(node), { accepted: load.accepted })
  process.stdout.write(
    `upgrade: ${load.accepted.length} sent, ${load.retried.length} retried by clients, ${balancer.turnedAway} found no node\n`,
  )
})

/** As a migration does it: it gives way if the table is in use. */
async function addColumn(client: Client, table: string): Promise<void> {
  await eventually(
    () =>
      client
        .query(`set lock_timeout = '1s'; alter table ${table} add column of_next_release text not null default 'x'`)
        .then(
          () => 'added',
          (error: Error) => error.message,
        ),
    (outcome) => outcome === 'added',
  )
}
