/** A full batch through the real process: few round trips, one result for each, and every one of them mined once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService } from '../setup/service.ts'

const ITEMS = 1_000
const sender = developmentAccount(0)
const to = developmentAccount(9).address

let chain: TestChain
let drover: DroverProcess
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ chain, drover, stop } = await startService({
    chain: { blockTimeSeconds: 1 },
    env: { DROVER_FINALITY: '1', DROVER_SIGNER_POLICY: 'fast' },
  }))
})

afterAll(() => stop?.())

async function countTrips(operation: string): Promise<number> {
  const { body } = await drover.get('/metrics')
  const sample = `^drover_store_round_trips_total\\{operation="${operation}",outcome="ok"\\} (\\d+)$`
  return Number(new RegExp(sample, 'm').exec(body)?.[1] ?? 0)
}

test('a thousand are stored by one statement, in order; a repeat creates nothing; each is mined once', async () => {
  const transactions = Array.from({ length: ITEMS }, (_, index) => ({ from: sender.address, to, value: String(index) }))
  const post = () => drover.post('/v1/transactions/batch', { transactions }, { 'idempotency-key': 'payroll' })
  const before = await countTrips('insert_transactions')
  const first = await post()
  expect(await countTrips('insert_transactions')).toBe(before + 1)
  expect(await countTrips('find_requests')).toBeLessThanOrEqual(4)
  const results: readonly { readonly status: number; readonly transaction: { readonly id: string } }[] =
    first.body.results
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set([202]))
  const again = await post()
  expect(again.body.results.map(({ transaction }: { transaction: { id: string } }) => transaction.id)).toEqual(
    results.map(({ transaction }) => transaction.id),
  )
  const readLane = async () => (await drover.get(`/v1/signers/${sender.address}`)).body.lanes[0]
  await eventually(readLane, ({ queued, inFlight }) => queued === 0 && inFlight === 0, { timeoutMs: 100_000 })
  const balance = BigInt(await chain.rpc<string>('eth_getBalance', [to, 'latest']))
  const paid = (ITEMS * (ITEMS - 1)) / 2
  expect(balance).toBe(10_000n * 10n ** 18n + BigInt(paid))
  // Places in the queue are places in the batch, so nonces are too.
  for (const index of [0, 1, 499, 500, 998, 999]) {
    const { body } = await drover.get(`/v1/transactions/${results[index]?.transaction.id}`)
    expect([body.state, body.value, body.nonce]).toEqual(['CONFIRMED', String(index), index])
  }
})
