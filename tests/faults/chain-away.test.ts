/** RPC nodes and the database away: requests are answered, `explain` says what is waited for, a start waits, lanes go where the chain can be reached. */
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { type DroverProcess, launchDrover, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { type Ground, startGround } from '../setup/ground.ts'
import { heirOf } from '../setup/heir.ts'
import type { LaunchedProcess } from '../setup/launch-process.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { createTcpRelay } from '../setup/tcp-relay.ts'
import { scenario } from './scenario.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const sender = developmentAccount(0)

describe('a running service', () => {
  let node: SingleNode
  beforeAll(async () => {
    node = await startSingleNode({ preset: 'stable', env: { DROVER_SIMULATION_TIMEOUT: '1s' } })
  })
  afterAll(() => node.close())

  scenario('a POST while the RPC node hangs is accepted without simulation, and simulated later', async () => {
    const heal = node.proxy.on('eth_estimateGas', () => new Promise(() => {}))
    const { status, body } = await node.drover().post('/v1/transactions', {
      from: sender.address,
      to: developmentAccount(9).address,
      value: '1',
      requestId: 'hanging',
    })
    heal()
    expect({ status, body }).toMatchObject({ status: 202, body: { simulated: false } })
    expect((await node.drover().get(`/v1/transactions/${body.id}`)).body).toMatchObject({ simulated: false })
    await node.mineUntil([body.id], 'CONFIRMED')
  })

  scenario('no RPC node responds: explain says which and since when, for queued and sent transactions', async () => {
    const sent = await node.send()
    await node.until(sent, ({ state }) => state === 'TRACKING')
    node.proxy.setDown(true)
    await eventually(node.isReady, (ready) => !ready)
    const queued = await node.send()
    const host = new URL(node.proxy.url).host
    for (const id of [sent, queued]) {
      const explain = async () => (await node.drover().get(`/v1/transactions/${id}/explain`)).body
      const { summary, cause, blockedBy } = await eventually(explain, (seen) => seen.cause === 'chain_unreachable')
      expect({ cause, blockedBy }).toEqual({
        cause: 'chain_unreachable',
        blockedBy: { type: 'chain', chainId: 31337 },
      })
      expect(summary).toMatch(new RegExp(`^RPC node ${host} has not responded since \\d{4}-`))
    }
    expect((await node.drover().get('/readyz')).body).toMatchObject({
      ready: false,
      status: 'unavailable',
      problems: [{ part: 'chain 31337', message: expect.stringContaining(host) }],
    })
    node.proxy.setDown(false)
    await node.mineUntil([sent, queued], 'CONFIRMED')
    await eventually(node.isReady, (ready) => ready)
  })
})

describe('a start', () => {
  let ground: Ground
  let proxy: RpcProxy
  let run: LaunchedProcess | null = null
  beforeAll(async () => {
    ground = await startGround()
    proxy = await startRpcProxy(ground.chain.rpcUrl)
  })
  afterEach(async () => {
    run?.child.kill('SIGTERM')
    expect(await run?.exited).toBe(0)
  })
  afterAll(async () => {
    await proxy.stop()
    await ground.stop()
  })

  const get = async (url: string, path: string) => {
    const response = await fetch(url + path)
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() }
  }
  const urlOf = (line: string) => (JSON.parse(line) as { url: string }).url

  async function startWaiting(env: Record<string, string>): Promise<string> {
    run = launchDrover(['start'], {
      DROVER_DATABASE_URL: ground.database.url,
      DROVER_RPC_URL: proxy.url,
      DROVER_SIGNER_KEYS: sender.privateKey,
      DROVER_PORT: '0',
      DROVER_OPEN: 'true',
      ...env,
    })
    return urlOf(await run.lineWhere((line) => line.includes('cannot start yet')))
  }

  async function expectWaiting(url: string, part: string): Promise<void> {
    expect(await get(url, '/healthz')).toMatchObject({ status: 200, body: { status: 'alive' } })
    expect(await get(url, '/readyz')).toMatchObject({ status: 503, body: { ready: false, problems: [{ part }] } })
    expect(await get(url, '/v1/signers')).toMatchObject({ status: 503, retryAfter: '5', body: { status: 503 } })
  }

  async function expectReady(url: string): Promise<void> {
    expect(urlOf((await run?.lineWhere((line) => line.includes('Drover is ready'))) ?? '')).toBe(url)
    await eventually(
      () => get(url, '/readyz'),
      ({ status }) => status === 200,
    )
  }

  scenario('without the RPC node: listens, waits, and is ready once the node responds', async () => {
    proxy.setDown(true)
    const url = await startWaiting({})
    await expectWaiting(url, 'chain')
    proxy.setDown(false)
    await expectReady(url)
  })

  scenario('without the database: listens, waits, and is ready once the database responds', async () => {
    const real = new URL(ground.database.url)
    const relay = await createTcpRelay({ host: real.hostname, port: Number(real.port) })
    const through = new URL(ground.database.url)
    through.hostname = '127.0.0.1'
    through.port = String(relay.port)
    const url = await startWaiting({ DROVER_DATABASE_URL: through.href })
    await expectWaiting(url, 'database')
    await relay.open()
    await expectReady(url)
    run?.child.kill('SIGTERM')
    await run?.exited
    await relay.close()
  })

  scenario('stopped while still waiting: it ends at once and cleanly', async () => {
    proxy.setDown(true)
    await startWaiting({})
    proxy.setDown(false)
  })
})

describe('two nodes, each with its own RPC node', () => {
  let ground: Ground
  const proxies: RpcProxy[] = []
  const nodes: DroverProcess[] = []
  beforeAll(async () => {
    ground = await startGround()
    for (let index = 0; index < 2; index++) {
      const proxy = await startRpcProxy(ground.chain.rpcUrl)
      proxies.push(proxy)
      nodes.push(
        await startDrover({
          databaseUrl: ground.database.url,
          rpcUrl: proxy.url,
          signerKeys: [sender.privateKey],
          env: { DROVER_LEASE_DURATION: '3s', DROVER_LEASE_RENEW_INTERVAL: '700ms', DROVER_FINALITY: '2' },
        }),
      )
    }
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.end()))
    for (const proxy of proxies) await proxy.stop()
    await ground.stop()
  })

  scenario('the owner of the lane loses its RPC node: the other node takes over the lane', async () => {
    const [first, second] = nodes as [DroverProcess, DroverProcess]
    const ownerOf = async (asked: DroverProcess): Promise<string | undefined> =>
      (await asked.get('/v1/signers')).body.items[0].lease?.node
    // Who shall have it in the end; before that it may move for that reason alone.
    const heir = heirOf(sender.address, [first.nodeId, second.nodeId])
    await eventually(
      () => ownerOf(first),
      (seen) => seen === heir,
    )
    const lost = heir === first.nodeId ? 0 : 1
    const [owner, peer] = lost === 0 ? [first, second] : [second, first]
    proxies[lost]?.setDown(true)
    const body = { from: sender.address, to: developmentAccount(9).address, value: '1' }
    const { id } = (await owner.post('/v1/transactions', body)).body
    await eventually(
      () => ownerOf(peer),
      (seen) => seen === peer.nodeId,
    )
    const mineAndRead = async () => {
      await ground.chain.mine(1)
      return (await peer.get(`/v1/transactions/${id}`)).body
    }
    await eventually(mineAndRead, ({ state }) => state === 'CONFIRMED', { everyMs: 150 })
    const seen = (await peer.get('/v1/nodes')).body.items
    expect(seen.find(({ self }: { self: boolean }) => self)).toMatchObject({ chains: [31337], lanes: 1 })
    expect(seen.find(({ self }: { self: boolean }) => !self)).toMatchObject({ chains: [], lanes: 0 })
    proxies[lost]?.setDown(false)
    await eventually(
      async () => (await peer.get('/v1/nodes')).body.items,
      (items) => items.every(({ chains }: { chains: number[] }) => chains.includes(31337)),
    )
  })
})
