/** A signer that sends privately, on two nodes of which one has no send endpoint for it: that one never sends its bytes. */
import pg from 'pg'
import { afterEach, beforeEach, expect } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { type Ground, startGround } from '../setup/ground.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { scenario } from './scenario.ts'

const SEND = 'eth_sendRawTransaction'
const HIDDEN = developmentAccount(0)
const OPEN = developmentAccount(1)

let ground: Ground
let client: pg.Client
/** What is read by the node with the send endpoint, by the node without one, and the endpoint itself. */
let [ofPrivate, ofPlain, relay]: readonly RpcProxy[] = []
let nodes: DroverProcess[] = []

beforeEach(async () => {
  ground = await startGround({})
  ;[ofPrivate, ofPlain, relay] = await Promise.all([1, 2, 3].map(() => startRpcProxy(ground.chain.rpcUrl)))
  client = new pg.Client({ connectionString: ground.database.url })
  await client.connect()
  nodes = []
})

afterEach(async () => {
  for (const node of nodes) await node.end('SIGKILL')
  await client.end()
  for (const proxy of [ofPrivate, ofPlain, relay]) await proxy?.stop()
  await ground.stop()
})

async function start(proxy: RpcProxy | undefined, sendUrl?: string): Promise<DroverProcess> {
  const node = await startDrover({
    databaseUrl: ground.database.url,
    rpcUrl: proxy?.url ?? '',
    signerKeys: [HIDDEN.privateKey, OPEN.privateKey],
    env: {
      DROVER_FINALITY: '2',
      DROVER_LEASE_DURATION: '30s',
      DROVER_LEASE_RENEW_INTERVAL: '500ms',
      DROVER_SIGNER_POLICY: 'fast',
      ...(sendUrl !== undefined && { DROVER_RPC_SEND_URL: sendUrl }),
    },
  })
  nodes.push(node)
  return node
}

async function kill(node: DroverProcess): Promise<void> {
  await node.end('SIGKILL')
  await client.query(`update signer_lease set expires_at = clock_timestamp(); delete from node`)
}

async function send(node: DroverProcess, from: string): Promise<string> {
  const answer = await node.post('/v1/transactions', { from, to: developmentAccount(9).address, value: '1' })
  expect(answer).toMatchObject({ status: 202 })
  return answer.body.id
}

async function mineUntilConfirmed(node: DroverProcess, ...ids: readonly string[]): Promise<void> {
  const read = async () => {
    await ground.chain.mine(1)
    return await Promise.all(ids.map(async (id) => (await node.get(`/v1/transactions/${id}`)).body.state))
  }
  await eventually(read, (states) => states.every((state) => state === 'CONFIRMED'), { everyMs: 150 })
}

/** The node has looked at the lanes some more times: time enough to take one that is free. */
async function awaitBeats(count: number): Promise<void> {
  const read = async () => (await client.query('select heartbeat_at::text as at from node')).rows[0]?.at
  for (let beat = 0; beat < count; beat++) {
    const before = await read()
    await eventually(read, (at) => at !== undefined && at !== before)
  }
}

async function ownerOf(signer: string): Promise<string | null> {
  const sql = `select owner_node from signer_lease where encode(signer, 'hex') = $1 and expires_at > clock_timestamp()`
  return (await client.query(sql, [signer.slice(2).toLowerCase()])).rows[0]?.owner_node ?? null
}

async function bytesOf(signer: string): Promise<readonly string[]> {
  const sql = `select a.raw from tx_attempt a join managed_tx tx on tx.tx_id = a.tx_id where encode(tx.signer, 'hex') = $1`
  const { rows } = await client.query<{ raw: Buffer }>(sql, [signer.slice(2).toLowerCase()])
  return rows.map(({ raw }) => raw.toString('hex'))
}

const seenBy = (proxy: RpcProxy | undefined, bytes: readonly string[]) => {
  const said = JSON.stringify(proxy?.calls).toLowerCase()
  return bytes.filter((raw) => said.includes(raw))
}

/** Not one byte of the signer reached an endpoint that is read. */
async function expectHidden(): Promise<void> {
  const bytes = await bytesOf(HIDDEN.address)
  expect(seenBy(ofPrivate, bytes)).toEqual([])
  expect(seenBy(ofPlain, bytes)).toEqual([])
}

scenario('a node without the send endpoint of a signer that sends privately never sends for it', async () => {
  // The plain node is first, and has the lanes; then comes the one with the endpoint.
  const plain = await start(ofPlain)
  await eventually(
    () => ownerOf(HIDDEN.address),
    (owner) => owner !== null,
  )
  const first = await ownerOf(HIDDEN.address)
  const hidden = await start(ofPrivate, `${HIDDEN.address}=${relay?.url}`)
  await eventually(
    () => ownerOf(HIDDEN.address),
    (owner) => owner !== null && owner !== first,
  )
  const sent = await Promise.all([send(plain, HIDDEN.address), send(hidden, HIDDEN.address), send(plain, OPEN.address)])
  await mineUntilConfirmed(plain, ...sent)
  expect(seenBy(relay, await bytesOf(HIDDEN.address))).toHaveLength(2)
  await expectHidden()

  // The only node that may send for it dies. The other leaves its transactions alone, and says why.
  await kill(hidden)
  const waiting = await send(plain, HIDDEN.address)
  const open = await send(plain, OPEN.address)
  await mineUntilConfirmed(plain, open)
  await awaitBeats(3)
  expect((await plain.get(`/v1/transactions/${waiting}`)).body).toMatchObject({ state: 'QUEUED', nonce: null })
  const said = (await plain.get(`/v1/transactions/${waiting}/explain`)).body
  expect(said.cause).toBe('no_owner')
  expect(said.summary).toContain('This signer sends privately')
  expect(said.summary).toContain(`Node ${first} has none`)
  expect(said.advice).toContain('rpcSendUrl')
  const [lane] = (await plain.get(`/v1/signers/${HIDDEN.address}`)).body.lanes
  expect(lane).toMatchObject({ sendsPrivately: true, problems: [{ code: 'no_owner' }] })
  expect(lane.problems[0].message).toContain(`Node ${first} has none`)
  expect(plain.output()).toContain('has no send endpoint for it')
  await expectHidden()

  // It comes back without its setting: the same.
  const forgetful = await start(ofPrivate)
  await awaitBeats(3)
  expect((await forgetful.get(`/v1/transactions/${waiting}`)).body).toMatchObject({ state: 'QUEUED', nonce: null })
  expect(forgetful.output()).toContain('has no send endpoint for it')
  await expectHidden()
  await kill(forgetful)

  // And with it.
  const again = await start(ofPrivate, `${HIDDEN.address}=${relay?.url}`)
  await mineUntilConfirmed(again, waiting)
  expect(seenBy(relay, await bytesOf(HIDDEN.address))).toHaveLength(3)
  await expectHidden()
})

scenario(
  'an operator ends private sends with `public`: it is in the audit, and bytes go to the nodes that are read',
  async () => {
    const hidden = await start(ofPrivate, relay?.url)
    await mineUntilConfirmed(hidden, await send(hidden, HIDDEN.address))
    await expectHidden()
    await kill(hidden)
    const released = await start(ofPlain, `${HIDDEN.address}=public`)
    const id = await send(released, HIDDEN.address)
    // The other signer was not released.
    const kept = await send(released, OPEN.address)
    await mineUntilConfirmed(released, id)
    await awaitBeats(3)
    expect((await released.get(`/v1/transactions/${kept}`)).body).toMatchObject({ state: 'QUEUED', nonce: null })
    expect(ofPlain?.count(SEND)).toBeGreaterThan(0)
    const { body } = await released.get('/v1/audit')
    expect(body.items).toContainEqual(
      expect.objectContaining({
        actor: 'settings',
        operation: 'sendPublicly',
        target: expect.stringContaining(HIDDEN.address),
      }),
    )
    const lanes = (await released.get('/v1/signers')).body.items
    const bound = new Map(
      lanes.map((lane: { address: string; sendsPrivately: boolean }) => [lane.address, lane.sendsPrivately]),
    )
    expect(bound.get(HIDDEN.address)).toBe(false)
    expect(bound.get(OPEN.address)).toBe(true)
  },
)
