/** What one confirmed intent costs, in database transactions and RPC calls, with 1, 100 and 1,000 in flight: it must fall. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import { readAll } from '../setup/cluster.ts'
import { createTestDatabase } from '../setup/database.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import type { RpcCall } from '../setup/rpc-reactions.ts'
import { startService } from '../setup/service.ts'

const senders = [developmentAccount(0), developmentAccount(1), developmentAccount(2)]

const lanes = Array.from({ length: 32 }, (_, index) => developmentAccount(senders.length + index))

interface Lane {
  readonly balance: unknown
}

interface Cost {
  readonly inFlight: number
  readonly intents: number
  readonly databaseTransactions: number
  /** Those of them that the lane makes: they are what the number in flight decides. */
  readonly laneTransactions: number
  readonly rpcCalls: number
  /** Those of them that try a call out. */
  readonly estimates: number
  readonly rpcRequests: number
}

let chain: TestChain
let proxy: RpcProxy
let drover: DroverProcess
let stop: () => Promise<void>

beforeAll(async () => {
  const started = await startService({
    chain: { accounts: senders.length + lanes.length },
    rpcUrl: async ({ rpcUrl }) => {
      proxy = await startRpcProxy(rpcUrl)
      return proxy.url
    },
    signers: senders,
    env: {
      DROVER_FINALITY: '2',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_MAX_IN_FLIGHT: '1000',
      DROVER_RESUBMIT_INTERVAL: '10m',
    },
  })
  ;({ chain, drover, stop } = started)
})

afterAll(async () => {
  await stop?.()
  await proxy?.stop()
})

const LANE_WORK = /operation="(?:load_lane|read_queue|write_lanes)"/

/** Every round trip of the store is one statement and one transaction of its own. */
async function countTransactions(kind = /./, service = drover): Promise<number> {
  const { body } = await service.get('/metrics')
  const lines = String(body)
    .split('\n')
    .filter((line) => line.startsWith('drover_store_round_trips_total{') && kind.test(line))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Polls for the head go by the clock, and not by what is in flight. */
const isPoll = ({ method }: RpcCall) => method === 'eth_blockNumber'
const countCalls = () => proxy.calls.filter((call) => !isPoll(call)).length
const countRequests = () => proxy.requests.filter((calls) => !calls.every(isPoll)).length
function countEstimates(): number {
  return proxy.calls.filter(({ method }) => method === 'eth_estimateGas').length
}

/** Posts `inFlight` intents at once and mines only when all of them are with the node; `rounds` times over. */
async function measure(sender: string, inFlight: number, rounds: number): Promise<Cost> {
  const before = {
    transactions: await countTransactions(),
    lane: await countTransactions(LANE_WORK),
    calls: countCalls(),
    estimates: countEstimates(),
    requests: countRequests(),
  }
  const filter = `&from=${sender}`
  for (let round = 0; round < rounds; round++) {
    const post = (index: number) =>
      drover.post('/v1/transactions', {
        from: sender,
        to: sender,
        value: '1',
        requestId: `${inFlight}-${round}-${index}`,
      })
    const indices = Array.from({ length: inFlight }, (_, index) => index)
    const work = Array.from({ length: 50 }, async () => {
      for (let index = indices.shift(); index !== undefined; index = indices.shift())
        expect((await post(index)).status).toBe(202)
    })
    await Promise.all(work)
    const pending = async () => Number(await chain.rpc<string>('eth_getTransactionCount', [sender, 'pending']))
    await eventually(pending, (count) => count === (round + 1) * inFlight)
    await eventually(
      async () => {
        await chain.mine(1)
        const page = await drover.get(`/v1/transactions?state=ALLOCATED,TRACKING,QUEUED&limit=1${filter}`)
        return page.body.items.length
      },
      (open) => open === 0,
      { everyMs: 300 },
    )
  }
  expect((await readAll(drover, filter)).filter(({ state }) => state === 'CONFIRMED').length).toBe(inFlight * rounds)
  return {
    inFlight,
    intents: inFlight * rounds,
    databaseTransactions: (await countTransactions()) - before.transactions,
    laneTransactions: (await countTransactions(LANE_WORK)) - before.lane,
    rpcCalls: countCalls() - before.calls,
    estimates: countEstimates() - before.estimates,
    rpcRequests: countRequests() - before.requests,
  }
}

test('the more intents in flight, the less each one costs', async () => {
  const [one, hundred, thousand] = senders.map(({ address }) => address)
  if (one === undefined || hundred === undefined || thousand === undefined) throw new Error('three senders are needed')
  const costs = [await measure(one, 1, 10), await measure(hundred, 100, 2), await measure(thousand, 1_000, 1)]
  const perIntent = costs.map((cost) => ({
    'in flight': cost.inFlight,
    'database transactions': (cost.databaseTransactions / cost.intents).toFixed(3),
    'by the lane': (cost.laneTransactions / cost.intents).toFixed(3),
    'RPC calls': (cost.rpcCalls / cost.intents).toFixed(3),
    'HTTP requests': (cost.rpcRequests / cost.intents).toFixed(3),
  }))
  console.table(perIntent)
  const perIntentOf = (field: keyof Cost) => costs.map((cost) => cost[field] / cost.intents)
  for (const field of ['laneTransactions', 'rpcCalls', 'rpcRequests'] as const) {
    const values = perIntentOf(field)
    expect(values, field).toEqual([...values].sort((a, b) => b - a))
  }
  // All together also hold renewals and polls, which go by the clock, and acceptance, which goes by how requests arrive.
  const [single = 0, hundreds = 0, thousands = 0] = perIntentOf('databaseTransactions')
  expect(hundreds).toBeLessThan(single / 5)
  expect(thousands).toBeLessThan(hundreds * 1.5)
  // The same call is tried out once for a head, and not by acceptance and the lane for each.
  const [, , burst] = costs
  expect((burst?.estimates ?? Number.NaN) / 1_000).toBeLessThan(0.1)
})

test('many lanes are read and written in shared statements', async () => {
  const accounts = lanes.map(({ address }) => address)
  const crowd = await createTestDatabase()
  const many = await startDrover({
    databaseUrl: crowd.url,
    rpcUrl: proxy.url,
    signerKeys: lanes.map(({ privateKey }) => privateKey),
    env: { DROVER_FINALITY: '2', DROVER_SIGNER_POLICY: 'fast', DROVER_RESUBMIT_INTERVAL: '60s' },
  })
  try {
    // Each has read its balance and stored it: from here on nothing happens by itself.
    const idle = async () => (await many.get('/v1/signers')).body.items.filter((lane: Lane) => lane.balance !== null)
    await eventually(idle, (known) => known.length === lanes.length)
    const before = {
      reads: await countTransactions(/read_queue/, many),
      writes: await countTransactions(/write_/, many),
    }
    const transactions = accounts.map((address) => ({ from: address, to: address, value: '1' }))
    expect((await many.post('/v1/transactions/batch', { transactions })).status).toBe(200)
    await eventually(
      async () => {
        await chain.mine(1)
        return (await many.get('/v1/transactions?state=ALLOCATED,TRACKING,QUEUED&limit=1')).body.items.length
      },
      (open) => open === 0,
      { everyMs: 300 },
    )
    const reads = (await countTransactions(/read_queue/, many)) - before.reads
    const writes = (await countTransactions(/write_/, many)) - before.writes
    console.table({ lanes: lanes.length, reads, writes })
    // Alone each lane reads at least once, and writes when it takes a nonce, when a node answers, when it is mined and final.
    expect(reads).toBeLessThan(lanes.length)
    expect(writes).toBeLessThan(lanes.length * 2)
  } finally {
    await many.end()
    await crowd.drop()
  }
})
