/** Two nodes that each have their own way to one key: what becomes of the lane when a way is closed, and how it signs. */
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type FakeRemoteSigner,
  startFakeRemoteSigner,
} from '../../packages/server/src/testing/signer/fake-remote-signer.ts'
import { readAll } from '../setup/cluster.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import { type Ground, startGround } from '../setup/ground.ts'
import { anyKey } from '../setup/key-services.ts'

const key = anyKey()
const from = privateKeyToAddress(key)
const TARGET = '0x00000000000000000000000000000000000000aa'
/** How many signatures a lane asks for at the same time. */
const AT_ONCE = 8

let ground: Ground
const stores: FakeRemoteSigner[] = []
const nodes: DroverProcess[] = []
const accepted: string[] = []

beforeAll(async () => {
  ground = await startGround({ accounts: 1, blockTimeSeconds: 1 })
  await ground.chain.setBalance(from, 10n ** 20n)
  for (let index = 0; index < 2; index++) {
    const store = await startFakeRemoteSigner([key], { isSecure: false })
    stores.push(store)
    nodes.push(
      await startDrover({
        databaseUrl: ground.database.url,
        rpcUrl: ground.chain.rpcUrl,
        signerKeys: [],
        env: {
          DROVER_REMOTE_SIGNER_URL: store.url,
          DROVER_FINALITY: '1',
          DROVER_BLOCK_TIME: '1s',
          DROVER_LEASE_DURATION: '3s',
          DROVER_LEASE_RENEW_INTERVAL: '500ms',
          DROVER_SIGNER_POLICY: 'fast',
        },
      }),
    )
  }
})

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.end('SIGKILL')))
  await Promise.all(stores.map((store) => store.stop()))
  await ground?.stop()
})

const [any] = [() => nodes[0] as DroverProcess]
const readLane = async () => (await any().get(`/v1/signers/${from}`)).body.lanes[0]

async function send(count: number): Promise<readonly string[]> {
  const transactions = Array.from({ length: count }, () => ({ from, to: TARGET, value: '1' }))
  const { body } = await any().post('/v1/transactions/batch', { transactions })
  const ids = (body.results as { transaction: { id: string } }[]).map(({ transaction }) => transaction.id)
  accepted.push(...ids)
  return ids
}

async function settle(): Promise<void> {
  await eventually(
    async () => (await any().get('/v1/transactions?state=QUEUED,ALLOCATED,TRACKING,STUCK&limit=1')).body.items,
    (open: readonly unknown[]) => open.length === 0,
  )
}

/** The node that runs the lane, and its key store. */
async function findOwner(): Promise<number> {
  const lane = await eventually(readLane, ({ lease }) => lease !== null)
  return nodes.findIndex(({ nodeId }) => nodeId === lane.lease.node)
}

test('a lane asks for several signatures at once, and sends in the order of acceptance', async () => {
  for (const store of stores) store.hold('eth_signTransaction')
  const ids = await send(3 * AT_ONCE)
  await eventually(
    async () => stores.map((store) => store.held()),
    (held) => held.reduce((sum, count) => sum + count, 0) >= AT_ONCE,
  )
  for (const store of stores) store.hold(null)
  await settle()
  const stored = new Map((await readAll(any())).map((tx) => [tx.id, tx]))
  expect(ids.map((id) => stored.get(id)?.nonce)).toEqual(ids.map((_, index) => index))
})

test('the key store of the owner is away: the lane goes to the node that can sign', async () => {
  const owner = await findOwner()
  stores[owner]?.setAway(true)
  await send(20)
  await settle()
  expect(await findOwner()).toBe(1 - owner)
  await expectExactlyOnce(ground.chain, await readAll(any()), { accepted })
  stores[owner]?.setAway(false)
})

test('no node can sign: the lane says so, and continues by itself', async () => {
  for (const store of stores) store.setAway(true)
  const [first = ''] = await send(20)
  const path = `/v1/transactions/${first}/explain`
  const explained = await eventually(
    async () => (await any().get(path)).body,
    ({ cause }) => cause === 'waiting_for_key',
  )
  expect(explained.summary).toContain('does not respond')
  const lane = await eventually(readLane, ({ problems }) => problems.length > 0)
  expect(lane.problems).toMatchObject([{ code: 'key_unavailable' }])
  for (const store of stores) store.setAway(false)
  await settle()
  await expectExactlyOnce(ground.chain, await readAll(any()), { accepted })
})
