/** A node is frozen past its lease and then goes on: it changes nothing and sends no bytes that the new owner does not know. */
import pg from 'pg'
import { keccak256 } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { readAll } from '../setup/cluster.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import { type Ground, startGround } from '../setup/ground.ts'
import { heirOf } from '../setup/heir.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'

const sender = developmentAccount(0)
const INTENTS = 10

interface Node {
  readonly drover: DroverProcess
  readonly proxy: RpcProxy
}

let ground: Ground
let nodes: Node[]

beforeEach(async () => {
  ground = await startGround({ blockTimeSeconds: 1 })
  nodes = await Promise.all([startNode(), startNode()])
})

afterEach(async () => {
  // A node that a failed test left frozen would never hear a polite signal.
  await Promise.all(nodes.map(({ drover }) => drover.end('SIGKILL')))
  await Promise.all(nodes.map(({ proxy }) => proxy.stop()))
  await ground.stop()
})

async function startNode(): Promise<Node> {
  const proxy = await startRpcProxy(ground.chain.rpcUrl)
  const drover = await startDrover({
    databaseUrl: ground.database.url,
    rpcUrl: proxy.url,
    signerKeys: [sender.privateKey],
    env: {
      DROVER_FINALITY: '2',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_LEASE_DURATION: '3s',
      DROVER_LEASE_RENEW_INTERVAL: '700ms',
    },
  })
  return { drover, proxy }
}

const leaseSeenBy = async (node: Node) => (await node.drover.get(`/v1/signers/${sender.address}`)).body.lanes[0].lease

/** The owner once lanes have settled, that is, after the node that ranks first has got its lane. */
async function findOwner(): Promise<{ owner: Node; other: Node }> {
  const heir = heirOf(
    sender.address,
    nodes.map(({ drover }) => drover.nodeId),
  )
  const owner = nodes.find(({ drover }) => drover.nodeId === heir)
  const other = nodes.find(({ drover }) => drover.nodeId !== heir)
  if (owner === undefined || other === undefined) throw new Error('two nodes are needed')
  await eventually(
    () => leaseSeenBy(other),
    (lease) => lease?.node === heir,
  )
  return { owner, other }
}

async function post(node: Node, count: number, prefix: string): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const body = {
      from: sender.address,
      to: developmentAccount(9).address,
      value: '1',
      requestId: `${prefix}-${index}`,
    }
    const answer = await node.drover.post('/v1/transactions', body)
    expect(answer).toMatchObject({ status: 202 })
    ids.push(answer.body.id)
  }
  return ids
}

async function expectAllOnce(node: Node, accepted: readonly string[]): Promise<void> {
  const all = await eventually(
    () => readAll(node.drover),
    (items) => items.every(({ state }) => state === 'CONFIRMED'),
  )
  await expectExactlyOnce(ground.chain, all, { accepted })
}

/** Everything that a node sent must be bytes that the database knows. */
async function expectOnlyKnownBytes(node: Node): Promise<void> {
  const sent = node.proxy.calls.filter(({ method }) => method === 'eth_sendRawTransaction')
  const client = new pg.Client({ connectionString: ground.database.url })
  await client.connect()
  const { rows } = await client.query<{ hash: string }>(`select '0x' || encode(hash, 'hex') as hash from tx_attempt`)
  await client.end()
  const known = new Set(rows.map(({ hash }) => hash))
  for (const { params } of sent) expect(known).toContain(keccak256(params[0] as `0x${string}`))
}

async function countEvents(): Promise<number> {
  const client = new pg.Client({ connectionString: ground.database.url })
  await client.connect()
  const { rows } = await client.query<{ events: number }>('select count(*)::int as events from tx_event')
  await client.end()
  return rows[0]?.events ?? 0
}

async function countRefusals(node: Node): Promise<number> {
  const { body } = await node.drover.get('/metrics')
  const lines = String(body)
    .split('\n')
    .filter((line) => line.startsWith('drover_fence_refusals_total{'))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

describe('a node frozen by SIGSTOP past its lease', () => {
  test('with unsent work: another node takes over; after SIGCONT it changes nothing and sends no new bytes [G5]', async () => {
    const { owner, other } = await findOwner()
    const send = owner.proxy.hold('eth_sendRawTransaction', 'before')
    const ids = await post(other, INTENTS, 'before')
    await send.arrived
    owner.drover.signal('SIGSTOP')
    const before = await leaseSeenBy(other)
    await eventually(
      () => leaseSeenBy(other),
      (lease) => lease.node === other.drover.nodeId && lease.fence > before.fence,
    )
    ids.push(...(await post(other, INTENTS, 'after')))
    await expectAllOnce(other, ids)
    const events = await countEvents()

    send.release({ type: 'drop', forward: false })
    owner.drover.signal('SIGCONT')
    await eventually(
      () => countRefusals(owner),
      (refusals) => refusals > 0,
    )
    // The continued node serves reads again, and all it did left no trace.
    expect(await countEvents()).toBe(events)
    await expectOnlyKnownBytes(owner)
    await expectAllOnce(owner, ids)
  })

  test('inside a database transaction: the database ends the transaction, another node takes over, nothing is lost [G5]', async () => {
    const { owner, other } = await findOwner()
    const ids = await post(other, 1, 'first')
    await expectAllOnce(other, ids)
    const blocker = new pg.Client({ connectionString: ground.database.url })
    await blocker.connect()
    await blocker.query('begin')
    await blocker.query('select from signer_nonce_cursor for update')
    ids.push(...(await post(other, INTENTS, 'second')))
    // The owner's write holds the lease row and waits for the cursor.
    const waiting = async () =>
      (
        await blocker.query(
          `select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%signer_lease%'`,
        )
      ).rowCount ?? 0
    await eventually(waiting, (count) => count > 0)
    owner.drover.signal('SIGSTOP')
    const before = await leaseSeenBy(other)
    await eventually(
      () => leaseSeenBy(other),
      (lease) => lease.node === other.drover.nodeId && lease.fence > before.fence,
    )
    await blocker.query('rollback')
    await blocker.end()
    await expectAllOnce(other, ids)
    owner.drover.signal('SIGCONT')
    await eventually(
      async () => (await owner.drover.get('/readyz')).status,
      (status) => status === 200,
    )
    await expectOnlyKnownBytes(owner)
    await expectAllOnce(owner, ids)
  })
})
