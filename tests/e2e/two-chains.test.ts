/** One service on two chains: the same key has a lane on each, and neither knows of the other's nonces, blocks or troubles. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, startTestChain, type TestChain } from '../setup/anvil.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'

const sender = developmentAccount(0)
const IDS = [1_001, 1_002] as const

let folder: string
let chains: readonly TestChain[]
let proxy: RpcProxy
let database: TestDatabase
let drover: DroverProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-chains-'))
  chains = await Promise.all(IDS.map((chainId) => startTestChain({ chainId })))
  proxy = await startRpcProxy(chains[0]?.rpcUrl ?? '')
  database = await createTestDatabase()
  const file = join(folder, 'drover.config.json')
  const settings = [
    { chainId: IDS[0], rpcUrl: proxy.url, finality: 1, pollInterval: '100ms' },
    { chainId: IDS[1], rpcUrl: chains[1]?.rpcUrl, finality: 3, pollInterval: '100ms' },
  ]
  await writeFile(file, JSON.stringify({ chains: settings }))
  drover = await startDrover({
    databaseUrl: database.url,
    signerKeys: [sender.privateKey],
    env: { DROVER_CONFIG_FILE: file },
  })
})

afterAll(async () => {
  await drover?.end()
  await database?.drop()
  await proxy?.stop()
  await Promise.all((chains ?? []).map((chain) => chain.stop()))
  await rm(folder, { recursive: true })
})

async function send(chainId?: number) {
  const body = { ...(chainId && { chainId }), from: sender.address, to: sender.address, value: '1' }
  return await drover.post('/v1/transactions', body)
}

async function mineUntilConfirmed(index: number, id: string) {
  return await eventually(
    async () => {
      await chains[index]?.mine(1)
      return (await drover.get(`/v1/transactions/${id}`)).body
    },
    (tx) => tx.state === 'CONFIRMED',
  )
}

test('a request has to say which chain it means', async () => {
  expect(await send()).toMatchObject({ status: 400, body: { code: 'invalid_request', field: 'chainId' } })
  expect(await send(1_003)).toMatchObject({ status: 400, body: { code: 'unknown_chain' } })
})

test('each chain has its own nonces and its own finality', async () => {
  const ids = [(await send(IDS[0])).body.id, (await send(IDS[1])).body.id]
  const [first, second] = [await mineUntilConfirmed(0, ids[0]), await mineUntilConfirmed(1, ids[1])]
  expect(first).toMatchObject({ chainId: IDS[0], nonce: 0, confirmations: { required: 1 } })
  expect(second).toMatchObject({ chainId: IDS[1], nonce: 0, confirmations: { required: 3 } })
  expect(first.hash).not.toBe(second.hash)
})

test('a chain that is down delays nothing on the other', async () => {
  proxy.setDown(true)
  const waiting = (await send(IDS[0])).body.id
  const other = (await send(IDS[1])).body.id
  expect(await mineUntilConfirmed(1, other)).toMatchObject({ nonce: 1 })
  expect((await drover.get(`/v1/transactions/${waiting}`)).body).toMatchObject({ state: 'QUEUED', nonce: null })
  const problems = await eventually(
    async () => (await drover.get('/readyz')).body.problems as { part: string }[],
    (list) => list.length > 0,
  )
  expect(problems.map(({ part }) => part)).toEqual([`chain ${IDS[0]}`])
  proxy.setDown(false)
  expect(await mineUntilConfirmed(0, waiting)).toMatchObject({ nonce: 1 })
})
