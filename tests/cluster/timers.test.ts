/**
 * Three nodes that are killed while timers fire. What they stored is compared, entry by entry, with the pure kernel run over
 * the same chain afterwards: the same commands at the same heights, the same blocks, and nothing else.
 */

import { applyDelivery, createTimerState, deliver, entryDigestOf, paramsAt, setTimer, voteParams } from '@drover/timers'
import pg from 'pg'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEvmParams } from '../../packages/server/src/engine/timers/evm-params.ts'
import { type Cluster, readAll, startCluster } from '../setup/cluster.ts'
import { COUNTER } from '../setup/contracts.ts'
import { eventually } from '../setup/eventually.ts'

const CHAIN_ID = 31_337n
const LANES = 4
const QUOTA = 10
const BLOCKS = 60
const addressOf = (index: number) => `0x${(0xc000 + index).toString(16).repeat(10)}` as `0x${string}`
/** Ten with twenty intervals each, ten with five watches each, and two that are watched. */
const TICKING = Array.from({ length: 10 }, (_, index) => addressOf(index))
const REACTING = Array.from({ length: 10 }, (_, index) => addressOf(100 + index))
const WATCHED = [addressOf(200), addressOf(201)] as const
const DATA = encodeFunctionData({ abi: parseAbi(COUNTER.abi), functionName: 'increase', args: [1n] })

let cluster: Cluster
let client: pg.Client
let kills = 0

beforeAll(async () => {
  cluster = await startCluster({ nodes: 3, lanes: LANES, blockTimeSeconds: 0, env: { DROVER_TIMERS_DELIVER_AT: '2' } })
  client = new pg.Client({ connectionString: cluster.database.url })
  await client.connect()
  const runtime = `0x${COUNTER.bytecode.slice(2 + 2 * 11)}`
  for (const at of [...TICKING, ...REACTING, ...WATCHED]) await cluster.chain.setCode(at, runtime)
  await cluster.chain.mine(3)
})
afterAll(async () => {
  await client?.end()
  await cluster?.stop()
})

async function create(to: string, from: string, schedule: object): Promise<void> {
  const call = { function: 'increase(uint256)', args: ['1'] }
  const answer = await cluster.anyNode().post('/v1/timers', { from, to, call, gasLimit: '100000', schedule })
  expect(answer).toMatchObject({ status: 201 })
}

async function reachHead(): Promise<void> {
  const head = await cluster.chain.blockNumber()
  await eventually(
    async () => {
      const answer = await cluster
        .anyNode()
        .get('/v1/timers/queue')
        .catch(() => null)
      return answer?.status === 200 ? (answer.body.height as number) : 0
    },
    (height) => height > head,
  )
}

test('whichever node is killed, fires match the pure kernel, and each is at most one transaction [G9] [G10]', async () => {
  const { chain, signers } = cluster
  const from = (index: number) => signers[index % LANES]?.address ?? ''
  await create(WATCHED[0], from(0), { type: 'timeout', height: 1_000_000 })
  const changed = await cluster.anyNode().request('PATCH', '/v1/timers/params', { maxFiresPerBlock: QUOTA })
  expect(changed).toMatchObject({ status: 200 })
  await chain.mine(changed.body.fromHeight - (await chain.blockNumber()))
  await reachHead()
  // No block is made meanwhile, so that all begin at the same height.
  const intervals = TICKING.flatMap((to) => Array.from({ length: 20 }, () => to))
  const watches = REACTING.flatMap((to) => Array.from({ length: 5 }, () => to))
  for (let at = 0; at < intervals.length; at += 25)
    await Promise.all(
      intervals.slice(at, at + 25).map((to, index) => create(to, from(at + index), { type: 'interval', blocks: 1 })),
    )
  await Promise.all(
    watches.map((to, index) =>
      create(to, from(index), { type: 'watch', contract: WATCHED[index % 2], event: 'Increased(uint256 by)' }),
    ),
  )
  const start = await chain.blockNumber()
  await chain.rpc('anvil_impersonateAccount', [addressOf(300)])
  await chain.setBalance(addressOf(300), 10n ** 20n)
  for (let block = 1; block <= BLOCKS; block++) {
    if (block % 7 === 0)
      await chain.rpc('eth_sendTransaction', [{ from: addressOf(300), to: WATCHED[(block / 7) % 2], data: DATA }])
    await chain.mine(1)
    // The one that runs the timers, three times; it comes back as another.
    if (block % 20 === 10) await killOwner()
    else if (block % 5 === 0) await reachHead()
  }
  await reachHead()
  expect(kills).toBe(3)
  const timers = (await cluster.anyNode().get('/v1/timers?limit=200&state=ACTIVE')).body.items as { id: string }[]
  expect(timers.length).toBeGreaterThan(0)

  const stored = await client.query<{ deliver_id: Buffer; digest: Buffer; height: string; position: number }>(
    'select deliver_id, digest, height, position from mailbox_entry order by height, position',
  )
  const rows = stored.rows.map((row) => [Number(row.height), row.position, hex(row.deliver_id), hex(row.digest)])
  const { entries, perTarget } = await runKernel(start)
  expect(rows).toEqual(entries)
  expect(rows.length).toBeGreaterThanOrEqual((BLOCKS - 1) * QUOTA)
  const row = (name: string, targets: readonly string[]) => {
    const fires = targets.map((target) => perTarget.get(target) ?? 0)
    return `${name} | ${fires.join(' ')} | ${Math.max(...fires) - Math.min(...fires)}`
  }
  console.log(
    [
      'timers | fires of each contract | most - least',
      row('20 equal intervals', TICKING),
      row('5 watches', REACTING),
    ].join('\n'),
  )
  const counts = TICKING.map((target) => perTarget.get(target) ?? 0)
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)

  const doubled = await client.query(
    'select request_id from managed_tx where request_id is not null group by request_id having count(*) > 1',
  )
  expect(doubled.rows).toEqual([])
  const linked = await client.query(
    `select count(*)::int as n, count(distinct tx_id)::int as txs from mailbox_entry where tx_id is not null`,
  )
  expect(linked.rows[0].n).toBe(linked.rows[0].txs)
  const transactions = await readAll(cluster.anyNode())
  expect(transactions.length).toBe(linked.rows[0].n)
  const calls = await chain.rpc<unknown[]>('eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', address: [...TICKING, ...REACTING] },
  ])
  expect(calls.length).toBeLessThanOrEqual(transactions.length)
})

function hex(bytes: Buffer): string {
  return `0x${bytes.toString('hex')}`
}

async function killOwner(): Promise<void> {
  const { rows } = await client.query('select owner_node from timer_lease')
  const index = cluster.nodes.findIndex((node) => node?.nodeId === rows[0]?.owner_node)
  if (index < 0) return
  kills += 1
  await cluster.killNode(index)
  await cluster.startNode(index)
}

/** The kernel alone, over the blocks of the chain and the commands that were accepted. */
async function runKernel(start: number) {
  const { rows } = await client.query<{ height: string; body: LoggedBody }>(
    'select height, body from timer_command where seq is not null order by seq',
  )
  const first = Math.min(...rows.map(({ height }) => Number(height)))
  const last = Number((await client.query('select height from timer_chain')).rows[0].height)
  let state = { ...createTimerState({ chainId: CHAIN_ID }), height: BigInt(first) }
  let schedule = createEvmParams()
  const entries: (readonly [number, number, string, string])[] = []
  const perTarget = new Map<string, number>()
  let parentStateRoot = (await readBlock(first)).stateRoot
  for (let height = first; height <= last; height++) {
    const block = await readBlock(height)
    if (height > first) {
      const delivery = deliver(state, {
        height: BigInt(height),
        parentStateRoot,
        modifiedKeys: await readKeys(height),
        params: paramsAt(schedule, BigInt(height)),
      })
      for (const [position, entry] of delivery.entries.entries()) {
        entries.push([height, position, entry.deliverId, entryDigestOf(entry)])
        if (height > start) perTarget.set(entry.target, (perTarget.get(entry.target) ?? 0) + 1)
      }
      state = applyDelivery(state, delivery).state
    }
    parentStateRoot = block.stateRoot
    for (const { body } of rows.filter((row) => Number(row.height) === height)) {
      if (body.type === 'params') {
        const voted = voteParams(schedule, BigInt(height), body.change)
        if (voted.type === 'refused') throw new Error(voted.message)
        schedule = voted.schedule
      } else if (body.type === 'set') state = set(state, height, body.spec, paramsAt(schedule, BigInt(height)))
    }
  }
  return { entries, perTarget }
}

type State = ReturnType<typeof createTimerState>

type LoggedBody =
  | { readonly type: 'params'; readonly change: object }
  | {
      readonly type: 'set'
      readonly spec: {
        readonly owner: `0x${string}`
        readonly target: string
        readonly data: string
        readonly gasLimit: string
        readonly bid: string
        readonly schedule:
          | { readonly type: 'interval'; readonly everyBlocks: number }
          | { readonly type: 'timeout'; readonly dueHeight: number }
          | { readonly type: 'watch'; readonly keys: readonly string[] }
      }
    }

function set(
  state: State,
  height: number,
  spec: (LoggedBody & { type: 'set' })['spec'],
  params: ReturnType<typeof paramsAt>,
) {
  const terms = { target: spec.target, payload: spec.data, gasLimit: spec.gasLimit, bidFp: spec.bid }
  const { schedule } = spec
  const call = { caller: spec.owner, height: BigInt(height), params }
  const outcome = setTimer(
    state,
    call,
    schedule.type === 'interval'
      ? { ...terms, kind: 'INTERVAL', everyBlocks: schedule.everyBlocks }
      : schedule.type === 'timeout'
        ? { ...terms, kind: 'HEIGHT', dueHeight: schedule.dueHeight }
        : { ...terms, kind: 'STATE_WATCH', watchKeys: schedule.keys },
  )
  if (outcome.type === 'refused') throw new Error(outcome.message)
  return outcome.state
}

async function readBlock(height: number): Promise<{ readonly stateRoot: `0x${string}` }> {
  return await cluster.chain.rpc('eth_getBlockByNumber', [`0x${height.toString(16)}`, false])
}

/** All of the block's, whether anybody watches them or not. */
async function readKeys(height: number): Promise<readonly string[]> {
  const at = `0x${height.toString(16)}`
  const logs = await cluster.chain.rpc<{ address: string; topics: string[] }[]>('eth_getLogs', [
    { fromBlock: at, toBlock: at },
  ])
  return logs.map(
    ({ address, topics }) => `${address.toLowerCase()}01${topics.map((topic) => topic.slice(2)).join('')}`,
  )
}
