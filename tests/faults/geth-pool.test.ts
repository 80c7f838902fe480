/** A real geth, whose pool answers with a hash for what it does not keep: small pools, its own pools, killed under load. */
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { readAll } from '../setup/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import { GETH_MISSING, type GethChain, type GethOptions, startGeth } from '../setup/geth.ts'
import { type Remark, scenario } from './scenario.ts'

const SMALL_POOL = { globalSlots: 64, accountSlots: 4, globalQueue: 16, accountQueue: 8 }
const signers = [developmentAccount(0), developmentAccount(1), developmentAccount(2)]
/** Nothing goes out again because of the clock: a pool that hides what it dropped has to be noticed, or nothing ends. */
const PATIENT = { DROVER_RESUBMIT_INTERVAL: '10m' }
const INTENTS = 600
const BATCH = 100

let geth: GethChain
let database: TestDatabase
let drover: DroverProcess

afterEach(async () => {
  await drover?.end('SIGKILL')
  await database?.drop()
  await geth?.stop()
})

async function start(options: GethOptions, env: Record<string, string> = {}): Promise<void> {
  geth = await startGeth(options)
  await geth.fund(signers.map(({ address }) => address))
  database = await createTestDatabase()
  drover = await startDrover({
    databaseUrl: database.url,
    rpcUrl: geth.rpcUrl,
    signerKeys: signers.map(({ privateKey }) => privateKey),
    env: { DROVER_FINALITY: '2', DROVER_SIGNER_POLICY: 'fast', ...env },
  })
}

/** As anybody would who has much to send: in batches, without gas limit or fees, the signers by turns. */
async function postAll(count: number): Promise<void> {
  const intents = Array.from({ length: count }, (_, index) => {
    const from = signers[index % signers.length]?.address
    return { from, to: developmentAccount(9).address, value: '1', requestId: `intent-${index}` }
  })
  for (let at = 0; at < count; at += BATCH) {
    const answer = await drover.post('/v1/transactions/batch', { transactions: intents.slice(at, at + BATCH) })
    expect(answer.body.results.map(({ status }: { status: number }) => status)).toEqual(Array(BATCH).fill(202))
  }
}

const countConfirmed = async () => (await readAll(drover, '&state=CONFIRMED')).length

async function expectAllOnce(count: number): Promise<void> {
  const all = await readAll(drover)
  expect(all).toHaveLength(count)
  await expectExactlyOnce(geth, all)
}

async function countBumps(): Promise<number> {
  const lines = String((await drover.get('/metrics')).body).split('\n')
  const bumps = lines.filter((line) => line.startsWith('drover_replacements_total{'))
  return bumps.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

async function confirmAll(count: number, remark: Remark): Promise<void> {
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(0)
  await postAll(count)
  remark(`accepted after ${seconds()} s`)
  await eventually(countConfirmed, (confirmed) => confirmed === count, { timeoutMs: 500_000, everyMs: 500 })
  remark(`all ${count} confirmed after ${seconds()} s`)
  const bumps = await countBumps()
  remark(`${bumps} bumps`)
  await expectAllOnce(count)
  expect(bumps).toBeLessThan(20)
}

const needs = { needs: GETH_MISSING, timeoutMs: 600_000 }

scenario(
  `geth with small pools, ${INTENTS} intents on 3 signers: exactly once, and hardly a bump`,
  async (remark) => {
    await start({ pool: SMALL_POOL }, PATIENT)
    await confirmAll(INTENTS, remark)
  },
  needs,
)

scenario(
  `geth with its own pools, ${INTENTS} intents on 3 signers: exactly once, and hardly a bump`,
  async (remark) => {
    await start({})
    await confirmAll(INTENTS, remark)
  },
  needs,
)

/** Signed by the first signer, sent and paid by somebody else; it uses up a nonce of the signer. */
async function delegateFirst(): Promise<void> {
  const [signer, sponsor] = [signers[0], developmentAccount(5)].map((each) =>
    privateKeyToAccount(each?.privateKey ?? '0x'),
  )
  if (signer === undefined || sponsor === undefined) throw new Error('two accounts are needed')
  await geth.fund([sponsor.address])
  const nonce = Number(await geth.rpc('eth_getTransactionCount', [signer.address, 'latest']))
  const authorization = await signer.signAuthorization({ address: sponsor.address, chainId: 1337, nonce })
  const fees = { maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 10n ** 9n }
  const raw = await sponsor.signTransaction({
    type: 'eip7702',
    chainId: 1337,
    nonce: 0,
    to: sponsor.address,
    gas: 200_000n,
    ...fees,
    authorizationList: [authorization],
  })
  await geth.rpc('eth_sendRawTransaction', [raw])
  const code = () => geth.rpc<string>('eth_getCode', [signer.address, 'latest'])
  await eventually(code, (seen) => seen.startsWith('0xef0100'))
}

scenario(
  'an account is delegated (EIP-7702) on a real geth while running: noticed, one in flight at a time, all confirmed',
  async () => {
    await start({})
    await postAll(BATCH)
    await eventually(countConfirmed, (confirmed) => confirmed === BATCH)
    await delegateFirst()
    const from = signers[0]?.address
    const intents = Array.from({ length: 6 }, () => ({ from, to: developmentAccount(9).address, value: '1' }))
    await drover.post('/v1/transactions/batch', { transactions: intents })
    await eventually(countConfirmed, (confirmed) => confirmed === BATCH + intents.length)
    const { window } = (await drover.get(`/v1/signers/${from}`)).body.lanes[0]
    expect(window).toMatchObject({ size: 1, reason: 'delegated' })
  },
  needs,
)

scenario(
  'geth killed under load and started again: exactly once',
  async (remark) => {
    await start({ pool: SMALL_POOL })
    await postAll(INTENTS)
    await eventually(countConfirmed, (confirmed) => confirmed >= INTENTS / 5)
    await geth.kill()
    await geth.restart()
    const restartedAt = performance.now()
    await eventually(countConfirmed, (confirmed) => confirmed === INTENTS, { timeoutMs: 500_000, everyMs: 500 })
    remark(`${((performance.now() - restartedAt) / 1000).toFixed(0)} s from the restart; ${await countBumps()} bumps`)
    await expectAllOnce(INTENTS)
  },
  needs,
)
