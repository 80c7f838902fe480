/** 500 intents wait for a signer whose key is in an encrypted keystore, as a wallet writes it: the start is cold. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAll } from '../setup/cluster.ts'
import { startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import { anyKey, writeKeystore } from '../setup/key-services.ts'
import { startService, type TestService } from '../setup/service.ts'

const INTENTS = 500
/** Of geth, Foundry and ethers: 256 MiB. */
const COST = 262_144
const key = anyKey()
const address = privateKeyToAddress(key)
const PASSWORD = 'a long password'
let service: TestService
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-cold-'))
  await writeKeystore(folder, 'one.json', key, PASSWORD, COST)
  await writeFile(join(folder, '.password'), PASSWORD, { mode: 0o600 })
  service = await startService({ signers: [{ privateKey: key }], env: { DROVER_SIGNER_POLICY: 'fast' } })
  await service.chain.setBalance(address, 10n ** 21n)
})

afterAll(async () => {
  await service?.stop()
  await rm(folder, { recursive: true })
})

test('500 intents on a cold keystore are all sent, each once', async () => {
  // Accepted by a node that leaves before it sends: paused, so that nothing is signed.
  await service.drover.post(`/v1/signers/${address}/pause`, { reason: 'cold start' })
  const transactions = Array.from({ length: INTENTS }, () => ({ from: address, to: address, value: '1' }))
  const { body } = await service.drover.post('/v1/transactions/batch', { transactions })
  const accepted = (body.results as { transaction: { id: string } }[]).map(({ transaction }) => transaction.id)
  expect(await service.drover.end()).toBe(0)
  const startedAt = Date.now()
  const cold = await startDrover({
    databaseUrl: service.database.url,
    rpcUrl: service.chain.rpcUrl,
    signerKeys: [],
    env: {
      DROVER_KEYSTORE_DIR: folder,
      DROVER_KEYSTORE_PASSWORD: `file:${join(folder, '.password')}`,
      DROVER_FINALITY: '1',
      DROVER_SIGNER_POLICY: 'fast',
    },
  })
  const readyMs = Date.now() - startedAt
  await cold.post(`/v1/signers/${address}/resume`, { reason: 'cold start' })
  await eventually(
    async () => (await cold.get('/v1/transactions?state=TRACKING&limit=1')).body.items,
    (sent: readonly unknown[]) => sent.length > 0,
  )
  const firstMs = Date.now() - startedAt
  await eventually(
    async () => {
      await service.chain.mine(1)
      return (await cold.get('/v1/transactions?state=QUEUED,ALLOCATED,TRACKING,STUCK&limit=1')).body.items
    },
    (open: readonly unknown[]) => open.length === 0,
  )
  const peak = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${cold.pid}/status`, 'utf8'))?.[1]
  process.stdout.write(
    `cold keystore: ready after ${readyMs} ms, first broadcast after ${firstMs} ms, peak memory ${Math.round(Number(peak) / 1024)} MiB\n`,
  )
  await expectExactlyOnce(service.chain, await readAll(cold), { accepted })
  await cold.end('SIGKILL')
})
