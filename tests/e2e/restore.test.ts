/** docs/backup.md, executed: a backup that is older than the chain is restored, and nothing is executed twice. */
import { Client } from 'pg'
import { expect, inject, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { startCli } from '../setup/cli-terminal.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService } from '../setup/service.ts'

const SENDER = developmentAccount(0)
const RECEIVER = developmentAccount(5)
const PATH = `/v1/signers/${SENDER.address}`

async function runSql(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

test('after a restore, what was sent since the backup is not sent again', async () => {
  const service = await startService({ env: { DROVER_FINALITY: '1' } })
  const { chain, database } = service
  const restoredName = `${new URL(database.url).pathname.slice(1)}_restored`
  const restored = new URL(database.url)
  restored.pathname = `/${restoredName}`
  let node: DroverProcess = service.drover
  const send = async (value: string) =>
    (await node.post('/v1/transactions', { from: SENDER.address, to: RECEIVER.address, value })).body.id
  const mineUntil = (id: string, state: string) =>
    eventually(
      async () => {
        await chain.mine(1)
        return (await node.get(`/v1/transactions/${id}`)).body
      },
      (tx) => tx.state === state,
    )
  const balance = async () => BigInt(await chain.rpc<string>('eth_getBalance', [RECEIVER.address, 'latest']))
  const before = await balance()
  try {
    // `stable`: the first is sent, the second waits.
    const [first, second] = [await send('1'), await send('20')]
    await eventually(
      async () => (await node.get(`/v1/transactions/${first}`)).body,
      (tx) => tx.state === 'TRACKING',
    )
    await node.end('SIGTERM')
    const name = new URL(database.url).pathname.slice(1)
    // A pooler keeps its connections, and a database in use is no template.
    await runSql(
      inject('databaseAdminUrl'),
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    )
    await runSql(inject('databaseAdminUrl'), `create database "${restoredName}" template "${name}"`)
    node = await service.startPeer()
    await mineUntil(first, 'CONFIRMED')
    await mineUntil(second, 'CONFIRMED')
    await mineUntil(await send('4000'), 'CONFIRMED')
    await node.end('SIGKILL')

    // The steps of the guide.
    await runSql(restored.href, 'update signer_lease set paused = true')
    node = await startDrover({
      databaseUrl: restored.href,
      rpcUrl: chain.rpcUrl,
      signerKeys: [SENDER.privateKey],
      env: { DROVER_FINALITY: '1' },
    })
    await mineUntil(first, 'CONFIRMED')
    const lane = await eventually(
      async () => (await node.get(PATH)).body.lanes[0],
      ({ chain: seen }) => seen !== null && seen.latest === 3,
    )
    expect([lane.nextNonce, lane.paused, lane.queued]).toEqual([1, true, 1])
    // Accepted after the backup: on the chain, but not in this database.
    const compare = async (...options: readonly string[]) => {
      const args = ['signer', 'compare', SENDER.address, '--url', node.url, '--json', ...options]
      const { code, stdout, stderr } = await startCli(args).ended
      return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
    }
    const unknown = { nonce: 2, value: '4000', transactionId: null }
    const known = { nonce: 1, value: '20', transactionId: second, doubt: null }
    expect(await compare()).toMatchObject({ code: 0, items: [known, unknown], notFound: [], cancelled: [] })
    const sent = await compare('--cancel-sent', '--reason', 'restored')
    expect(sent.cancelled).toEqual([second])
    expect((await node.get(`/v1/transactions/${second}`)).body).toMatchObject({ state: 'CANCELLED', nonce: null })
    const { items: history } = (await node.get(`/v1/transactions/${second}/history`)).body
    expect(JSON.stringify(history)).toContain(`restored: mined as ${sent.items[0].hash}`)
    const reset = await node.post(`${PATH}/reset-nonce`, { reason: 'restored from a backup' })
    expect(reset.body).toMatchObject({ state: 'DONE', toNonce: 3 })
    expect(await compare('--cancel-sent')).toMatchObject({ code: 2, stderr: expect.stringContaining('--reason') })
    expect((await compare()).items).toEqual([])
    expect((await node.post(`${PATH}/resume`, { reason: 'restored' })).status).toBe(200)
    const unpaused = await compare('--cancel-sent', '--reason', 'again')
    expect(unpaused).toMatchObject({ code: 2, stderr: expect.stringContaining('pause the signer first') })
    const third = await mineUntil(await send('300'), 'CONFIRMED')
    expect(third.nonce).toBe(3)
    expect((await balance()) - before).toBe(4_321n)
  } finally {
    await node.end('SIGKILL')
    await runSql(inject('databaseAdminUrl'), `drop database if exists "${restoredName}" with (force)`)
    await service.stop()
  }
})
