/** Finished transactions have an end on a real service, once they are archived, and a repeat of a deleted one is refused, not sent again. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { type DroverProcess, launchDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'

const SENDER = developmentAccount(0)
const REQUEST = { from: SENDER.address, to: SENDER.address, value: '7', requestId: 'payroll-1' }
let service: TestService
let client: Client
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-archive-'))
  service = await startService({
    env: {
      DROVER_FINALITY: '1',
      DROVER_TRANSACTION_RETENTION: '30d',
      DROVER_AUDIT_RETENTION: '30d',
      DROVER_KEEP_UNTIL_ARCHIVED: 'true',
    },
  })
  client = new Client({ connectionString: service.database.url })
  await client.connect()
})

afterAll(async () => {
  await client?.end()
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
})

async function archive(): Promise<void> {
  const launched = launchDrover(['archive', '--to', folder, '--json'], { DROVER_DATABASE_URL: service.database.url })
  expect(await launched.exited, launched.output()).toBe(0)
}

async function age(): Promise<void> {
  await client.query(
    `update managed_tx set created_at = created_at - interval '40 days', final_at = final_at - interval '40 days'`,
  )
}

async function confirm(node: DroverProcess, requestId: string): Promise<string> {
  const { body } = await node.post('/v1/transactions', { ...REQUEST, requestId })
  await eventually(
    async () => {
      await service.chain.mine(1)
      return (await node.get(`/v1/transactions/${body.id}`)).body.state
    },
    (state) => state === 'CONFIRMED',
  )
  return body.id
}

async function count(table: string): Promise<number> {
  return Number((await client.query(`select count(*) from ${table}`)).rows[0].count)
}

/** A node does a first pass when it starts. */
async function restart(node: DroverProcess, isDone: () => Promise<boolean>): Promise<DroverProcess> {
  await node.end('SIGTERM')
  const next = await service.startPeer()
  await eventually(isDone, Boolean)
  return next
}

test('a transaction of long ago is deleted in two steps, and its request id outlives it', async () => {
  let node = service.drover
  const accepted = await node.post('/v1/transactions', REQUEST)
  expect(accepted.status).toBe(202)
  const { id } = accepted.body
  await eventually(
    async () => {
      await service.chain.mine(1)
      return (await node.get(`/v1/transactions/${id}`)).body.state
    },
    (state) => state === 'CONFIRMED',
  )
  try {
    await archive()
    await age()
    node = await restart(node, async () => (await count('retired_tx')) === 1)
    // Its twin is still there, and answers for it.
    expect((await node.post('/v1/transactions', REQUEST)).status).toBe(200)

    await client.query(`update retired_tx set retired_at = retired_at - interval '5 minutes'`)
    node = await restart(node, async () => (await count('managed_tx')) === 0)
    expect([await count('tx_attempt'), await count('tx_event where tx_id is not null')]).toEqual([0, 0])
    expect((await node.get(`/v1/transactions/${id}`)).status).toBe(404)

    const repeat = await node.post('/v1/transactions', REQUEST)
    expect(repeat).toMatchObject({ status: 410, body: { code: 'transaction_deleted', transactionId: id } })
    const changed = await node.post('/v1/transactions', { ...REQUEST, value: '8' })
    expect(changed).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
    const { rows } = await client.query('select next_nonce from signer_nonce_cursor')
    expect(rows.map((row) => Number(row.next_nonce))).toEqual([1])

    // What comes next goes on as if nothing had been deleted.
    const next = await node.post('/v1/transactions', { ...REQUEST, requestId: 'payroll-2' })
    const done = await eventually(
      async () => {
        await service.chain.mine(1)
        return (await node.get(`/v1/transactions/${next.body.id}`)).body
      },
      (tx) => tx.state === 'CONFIRMED',
    )
    expect(done.nonce).toBe(1)
  } finally {
    await node.end('SIGKILL')
  }
})

test('what was not archived is kept, however old it is; the audit log begins where the archive of it ends', async () => {
  let node = await service.startPeer()
  try {
    const archived = await confirm(node, 'archived')
    expect((await node.post(`/v1/signers/${SENDER.address}/pause`, { reason: 'a test' })).status).toBe(200)
    expect((await node.post(`/v1/signers/${SENDER.address}/resume`, { reason: 'a test' })).status).toBe(200)
    await archive()
    const kept = await confirm(node, 'not archived')
    await age()
    // The chain of hashes covers the time of an entry, so this leaves the archive as the only proof of the first ones.
    await client.query(`update audit_entry set at = at - interval '40 days'`)
    const entries = await count('audit_entry')
    node = await restart(node, async () => (await count(`retired_tx where tx_id = '${archived}'`)) === 1)
    await eventually(async () => (await count('audit_entry')) < entries, Boolean)
    // Both were looked at in one statement.
    expect(await count(`retired_tx where tx_id = '${kept}'`)).toBe(0)
    const check = await node.get('/v1/audit/check')
    const names = await readdir(folder)
    const text = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    const lines = text.flatMap((part) => part.trimEnd().split('\n')).map((line) => JSON.parse(line))
    expect(lines.filter((line) => line.transaction?.id === archived)).toHaveLength(1)
    const last = lines.filter((line) => line.kind === 'audit').at(-1).entry
    expect(check.body).toMatchObject({ brokenAt: null, deleted: { id: last.id, hash: last.hash } })
  } finally {
    await node.end('SIGKILL')
  }
})
