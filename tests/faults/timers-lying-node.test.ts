/** One RPC node lies about logs and blocks: timers wait until two nodes say the same, and nothing false ever fires. */
import pg from 'pg'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { COUNTER } from '../setup/contracts.ts'
import { eventually } from '../setup/eventually.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { change, pass } from '../setup/rpc-reactions.ts'
import { startService, type TestService } from '../setup/service.ts'

const sender = developmentAccount(0)
const other = developmentAccount(1)
const TARGET = `0x${'c0'.repeat(20)}` as const
const WATCHED = `0x${'c1'.repeat(20)}` as const
const FALSE_ROOT = `0x${'66'.repeat(32)}`

let service: TestService
let liar: RpcProxy
let honest: RpcProxy
let client: pg.Client
let ticking: string
let reacting: string

beforeAll(async () => {
  service = await startService({
    env: { DROVER_FINALITY: '2', DROVER_SIGNER_POLICY: 'fast', DROVER_TIMERS_DELIVER_AT: '0' },
    rpcUrl: async (chain) => {
      liar = await startRpcProxy(chain.rpcUrl)
      honest = await startRpcProxy(chain.rpcUrl)
      return `${liar.url},${honest.url}`
    },
  })
  client = new pg.Client({ connectionString: service.database.url })
  await client.connect()
  const runtime = `0x${COUNTER.bytecode.slice(2 + 2 * 11)}`
  for (const at of [TARGET, WATCHED]) await service.chain.setCode(at, runtime)
  await service.chain.mine(3)
  await service.chain.rpc('anvil_impersonateAccount', [other.address])
  const call = { function: 'increase(uint256)', args: ['1'] }
  const create = async (schedule: object) => {
    const body = { from: sender.address, to: TARGET, call, gasLimit: '100000', schedule }
    return (await service.drover.post('/v1/timers', body)).body.id as string
  }
  ticking = await create({ type: 'interval', blocks: 1 })
  reacting = await create({ type: 'watch', contract: WATCHED })
})

afterAll(async () => {
  await client?.end()
  await service?.stop()
  await liar?.stop()
  await honest?.stop()
})

async function heightsOf(id: string): Promise<readonly number[]> {
  const { items } = (await service.drover.get(`/v1/timers/${id}/fires?limit=200`)).body
  return items.map(({ height }: { height: number }) => height)
}

async function reachHead(): Promise<number> {
  const head = await service.chain.blockNumber()
  await eventually(
    async () => (await service.drover.get('/v1/timers/queue')).body.height as number,
    (height) => height > head,
  )
  return head
}

test('a log that only one node has fires nothing', async () => {
  await service.chain.mine(1)
  const before = await reachHead()
  const tell = liar.on(
    'eth_getLogs',
    change((result, { params }) => {
      const { blockHash } = params[0] as { blockHash: string }
      const log = { address: WATCHED, topics: [FALSE_ROOT], data: '0x', blockHash, removed: false }
      const place = { blockNumber: '0x1', transactionHash: FALSE_ROOT, transactionIndex: '0x0', logIndex: '0x0' }
      return [...(result as unknown[]), { ...log, ...place }]
    }),
  )
  const asked = liar.count('eth_getLogs')
  await service.chain.mine(1)
  // Asked again and again: that block waits.
  await liar.awaitCalls('eth_getLogs', asked + 3)
  expect(await heightsOf(reacting)).toEqual([])
  expect((await heightsOf(ticking))[0]).toBe(before)
  tell()
  const head = await reachHead()
  expect(await heightsOf(reacting)).toEqual([])
  expect((await heightsOf(ticking))[0]).toBe(head)
})

test('a block that only one node has in this form fires nothing', async () => {
  const before = await reachHead()
  const isHeight = (params: readonly unknown[]) => /^0x[0-9a-f]+$/.test(String(params[0]))
  const asked = { count: 0 }
  const tell = liar.on('eth_getBlockByNumber', ({ params }) => {
    if (!isHeight(params)) return pass
    asked.count += 1
    return change((result) => (result === null ? null : { ...(result as object), stateRoot: FALSE_ROOT }))
  })
  await service.chain.mine(1)
  await eventually(
    async () => asked.count,
    (count) => count >= 3,
  )
  expect((await heightsOf(ticking))[0]).toBe(before)
  tell()
  const head = await reachHead()
  expect((await heightsOf(ticking))[0]).toBe(head)
  const { rows } = await client.query<{ height: number; root: string }>(
    `select height::int, '0x' || encode(state_root, 'hex') as root from timer_block order by height`,
  )
  expect(rows.length).toBeGreaterThan(0)
  for (const { height, root } of rows) {
    const block = await service.chain.rpc<{ stateRoot: string }>('eth_getBlockByNumber', [
      ...[`0x${height.toString(16)}`, false],
    ])
    expect(root).toBe(block.stateRoot)
  }
})

test('what both nodes have fires', async () => {
  const data = encodeFunctionData({ abi: parseAbi(COUNTER.abi), functionName: 'increase', args: [1n] })
  await service.chain.rpc('eth_sendTransaction', [{ from: other.address, to: WATCHED, data }])
  await service.chain.mine(1)
  const head = await reachHead()
  expect(await heightsOf(reacting)).toEqual([head])
})
