/** Two nodes behind a real PgBouncer in transaction mode, where no session lasts longer than a statement. */
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { launchDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { hasProgram } from '../setup/has-program.ts'
import { type PgBouncer, startPgBouncer } from '../setup/pgbouncer.ts'
import { startService, type TestService } from '../setup/service.ts'

const SENDER = developmentAccount(0)

describe.skipIf(!hasProgram('pgbouncer'))('behind PgBouncer in transaction mode', () => {
  let pgbouncer: PgBouncer
  let service: TestService
  const env: Record<string, string> = { DROVER_FINALITY: '1' }
  let refusal = ''
  let [doctorBefore, doctorAfter] = ['', '']

  beforeAll(async () => {
    service = await startService({
      env,
      prepare: async ({ url }) => {
        pgbouncer = await startPgBouncer(url)
        env.DROVER_DATABASE_POOLER_URL = pgbouncer.url
        ;[refusal, doctorBefore] = await Promise.all([runAlone('start', url), runAlone('doctor', url)])
        await runFix(url, refusal)
        // New server connections bring the settings along.
        await pgbouncer.stop()
        pgbouncer = await startPgBouncer(url)
        env.DROVER_DATABASE_POOLER_URL = pgbouncer.url
        doctorAfter = await runAlone('doctor', url)
      },
    })
  })

  afterAll(async () => {
    await service?.stop()
    await pgbouncer?.stop()
  })

  test('a role without the settings is refused, with what to run', () => {
    expect(refusal).toContain('databasePoolerUrl')
    expect(refusal).toMatch(/alter role \S+ in database \S+ set enable_seqscan = 'off';/)
    expect(refusal).toMatch(/set statement_timeout = '\d+ms';/)
    expect(doctorBefore).toMatch(/✗ pooler: .*\n +fix: run this in PostgreSQL: alter role/)
    expect(doctorAfter).toMatch(/✓ pooler: /)
  })

  test('transactions are accepted in batches, sent and confirmed, and events arrive', async () => {
    const items = Array.from({ length: 20 }, (_, index) => ({
      from: SENDER.address,
      to: SENDER.address,
      value: '1',
      requestId: `pooled-${index}`,
    }))
    const answer = await service.drover.post('/v1/transactions/batch', { transactions: items })
    expect(answer.status).toBe(200)
    const repeat = await service.drover.post('/v1/transactions', items[0])
    expect([repeat.status, repeat.body.requestId]).toEqual([200, 'pooled-0'])
    await eventually(mineAndCount, (confirmed) => confirmed === 20)
    const { body } = await service.drover.get('/v1/events?limit=100')
    expect(body.items.length).toBeGreaterThan(20)
  })

  test('a second node takes over when the first stops, and continues', async () => {
    const peer = await service.startPeer()
    try {
      await service.drover.end('SIGTERM')
      const sent = await peer.post('/v1/transactions', { from: SENDER.address, to: SENDER.address, value: '2' })
      expect(sent.status).toBe(202)
      await eventually(
        async () => {
          await service.chain.mine(1)
          return (await peer.get(`/v1/transactions/${sent.body.id}`)).body.state
        },
        (state) => state === 'CONFIRMED',
      )
    } finally {
      await peer.end('SIGKILL')
    }
  })

  async function mineAndCount(): Promise<number> {
    await service.chain.mine(1)
    const { body } = await service.drover.get('/v1/transactions?state=CONFIRMED&limit=100')
    return body.items.length
  }

  /** Runs a command to its end and returns what it said. */
  async function runAlone(command: string, databaseUrl: string): Promise<string> {
    const launched = launchDrover([command], {
      DROVER_DATABASE_URL: databaseUrl,
      DROVER_DATABASE_POOLER_URL: pgbouncer.url,
      DROVER_RPC_URL: 'http://127.0.0.1:9',
      DROVER_CHAIN_ID: '31337',
      DROVER_SIGNER_KEYS: SENDER.privateKey,
      DROVER_OPEN: 'true',
      DROVER_PORT: '0',
    })
    await launched.exited
    return launched.output()
  }

  async function runFix(databaseUrl: string, said: string): Promise<void> {
    const client = new Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      for (const [statement] of said.matchAll(/alter role .*?;/g)) await client.query(statement)
    } finally {
      await client.end()
    }
  }
})
