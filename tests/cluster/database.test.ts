/** PostgreSQL is restarted, killed and cut off under load: nothing is lost, and the service comes back by itself. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type EmbeddedPostgres,
  removeEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../packages/dev/src/postgres/embedded-postgres.ts'
import { developmentAccount, startTestChain, type TestChain } from '../setup/anvil.ts'
import { readAll } from '../setup/cluster.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'

const LANES = 4
const INTENTS = 400
const senders = Array.from({ length: LANES }, (_, index) => developmentAccount(index))

let dataDir: string
let postgres: EmbeddedPostgres
let chain: TestChain
let drover: DroverProcess

beforeAll(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'drover-database-')), 'postgres')
  postgres = await startEmbeddedPostgres({ dataDir, fast: true })
  chain = await startTestChain({ blockTimeSeconds: 1 })
  drover = await startDrover({
    databaseUrl: postgres.databaseUrl,
    rpcUrl: chain.rpcUrl,
    signerKeys: senders.map(({ privateKey }) => privateKey),
    env: { DROVER_FINALITY: '2', DROVER_SIGNER_POLICY: 'fast' },
  })
})

afterAll(async () => {
  await drover?.end()
  await chain?.stop()
  await postgres?.stop()
  await removeEmbeddedPostgres(dataDir)
})

/** Every connection of the service is cut, whatever it is doing. */
async function cutConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.databaseUrl })
  await client.connect()
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'drover%' and pid <> pg_backend_pid()`,
  )
  await client.end()
}

async function restart(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
  const { port, exited } = postgres
  if (signal === 'SIGKILL') process.kill(postgres.pid, signal)
  else await postgres.stop()
  await exited
  // What was killed still counts as in use by this process until it is given up.
  await postgres.stop()
  postgres = await startEmbeddedPostgres({ dataDir, port, fast: true })
}

test('database restarted, killed and cut off under load: each intent is mined once, and no stored intent got an error [G3] [G7]', async () => {
  const answers = new Map<number, string>()
  const errors: string[] = []
  let next = 0
  const post = async () => {
    while (next < INTENTS) {
      const index = next++
      const from = senders[index % LANES]?.address
      const body = { from, to: senders[0]?.address, value: '1', requestId: `intent-${index}` }
      const answer = await drover.post('/v1/transactions', body)
      if (answer.status === 202) answers.set(index, answer.body.id)
      else errors.push(`${index}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
  }
  const posting = Promise.all(Array.from({ length: 8 }, post))
  const waitFor = (count: number) =>
    eventually(
      async () => answers.size,
      (size) => size >= count,
    )
  for (let cut = 1; cut <= 8; cut++) {
    await waitFor(cut * 20)
    await cutConnections()
  }
  await waitFor(200)
  await restart('SIGINT')
  await waitFor(300)
  await restart('SIGKILL')
  await posting
  // A short outage is ridden out inside the service: no client saw it.
  expect(errors).toEqual([])
  expect(answers.size).toBe(INTENTS)
  await eventually(
    async () => (await drover.get('/readyz')).status,
    (status) => status === 200,
  )
  const all = await eventually(
    () => readAll(drover),
    (items) => items.every(({ state }) => state === 'CONFIRMED'),
    { timeoutMs: 120_000, everyMs: 500 },
  )
  await expectExactlyOnce(chain, all, { accepted: [...answers.values()] })
})
