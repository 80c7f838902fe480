/** A chain that stands, goes back, is seen by a node that is behind, or takes back what was final: it is named, and nobody is blamed for it. */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { startTestChain, type TestChain } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { refuseShare } from '../setup/rpc-limits.ts'
import { rpcError } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { scenario } from './scenario.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'
const ESTIMATE = 'eth_estimateGas'

let node: SingleNode

const health = async () => (await node.drover().get('/v1/chains')).body.items[0].health
const untilHealth = (state: string) => eventually(health, (seen) => seen.state === state)
const explain = async (id: string) => (await node.drover().get(`/v1/transactions/${id}/explain`)).body
const events = async (type: string) =>
  (await node.drover().get('/v1/events?limit=200')).body.items.filter((event: { type: string }) => event.type === type)

async function mineAndFollow(blocks: number): Promise<void> {
  await node.chain.mine(blocks)
  const head = await node.chain.blockNumber()
  await eventually(
    () => node.metric('drover_head_block'),
    (seen) => seen === head,
  )
}

describe('a chain in trouble', () => {
  let fresh: TestChain | null = null
  beforeAll(async () => {
    node = await startSingleNode({
      preset: 'stable',
      env: { DROVER_STANDING_AFTER: '1s', DROVER_STUCK_AFTER: '2s', DROVER_RESUBMIT_INTERVAL: '500ms' },
    })
  })
  afterAll(async () => {
    await node.close()
    await fresh?.stop()
  })

  scenario(
    'no new block while a transaction waits: the chain is reported, and the transaction is not marked stuck',
    async () => {
      const id = await node.send()
      await untilHealth('standing')
      expect(await node.drover().get('/readyz')).toMatchObject({
        status: 200,
        body: { ready: true, status: 'degraded', problems: [{ message: expect.stringContaining('no block for') }] },
      })
      expect(await explain(id)).toMatchObject({
        cause: 'chain_standing',
        summary: expect.stringMatching(/^The chain has made no block for \d+ s; nothing can be mined\./),
      })
      await eventually(
        () => node.metric('drover_chain_state', 'state="standing"'),
        (value) => value === 1,
      )
      await eventually(
        () => events('chain.standing'),
        ({ length }) => length === 1,
      )
      // Sent again often enough that it is long past the time after which it would be stuck.
      await node.proxy.awaitCalls(SEND, node.proxy.count(SEND) + 8)
      expect(await node.read(id)).toMatchObject({ state: 'TRACKING' })
      expect((await node.history(id)).map(({ type }) => type)).not.toContain('stuck.declared')
      await node.mineUntil([id], 'CONFIRMED')
      await untilHealth('ok')
      // Between two blocks of a busy machine it may stand again; each time it is said when that is over.
      const recovered = await events('chain.recovered')
      expect(recovered.length).toBeGreaterThan(0)
      expect(recovered).toHaveLength((await events('chain.standing')).length)
      expect(await node.drover().get('/readyz')).toMatchObject({ status: 200, body: { status: 'ready', problems: [] } })
      await expectUndisturbed(node, { mayHaveBeenStuck: true })
    },
  )

  scenario('a head that went back is reported until the chain has passed it again', async () => {
    await mineAndFollow(20)
    await node.chain.rollback(15)
    const { message } = await untilHealth('rewound')
    expect(message).toContain('went back from block')
    expect(await node.drover().get('/readyz')).toMatchObject({ status: 200, body: { status: 'degraded' } })
    await node.chain.mine(16)
    await untilHealth('ok')
    await node.mineUntil([await node.send()], 'CONFIRMED')
  })

  scenario('the RPC URL serves a new chain at block 0: this and the lost transactions are reported', async () => {
    await mineAndFollow(1)
    // Started this late it has a first block of its own.
    fresh = await startTestChain()
    node.proxy.setUpstream(fresh.rpcUrl)
    expect((await untilHealth('rewound')).message).toMatch(/to block 0/)
    const lost = await eventually(
      () => events('finality.broken'),
      (seen) => seen.at(-1)?.detail.gone > 0,
    )
    expect(node.accepted).toEqual(expect.arrayContaining(lost.at(-1).detail.transactions))
    expect(await node.metric('drover_final_reorgs_total')).toBeGreaterThan(0)
    node.proxy.setUpstream(node.chain.rpcUrl)
    await node.chain.mine(2)
    await untilHealth('ok')
  })
})

describe('a node that is one block behind', () => {
  beforeAll(async () => {
    node = await startSingleNode({ preset: 'stable' })
    await mineAndFollow(3)
  })
  afterAll(() => node.close())

  scenario('its revert is not final: the call is accepted, waits, and succeeds', async () => {
    const heal = node.proxy.on(ESTIMATE, ({ params: [, at] }) =>
      at === 'latest' ? rpcError(3, 'execution reverted: not yet') : rpcError(-32000, 'header not found'),
    )
    const id = await node.send()
    expect((await node.drover().get(`/v1/transactions/${id}`)).body).toMatchObject({ simulated: false })
    await node.until(id, ({ subState }) => subState === 'waiting_for_node')
    for (let block = 0; block < 3; block++) await mineAndFollow(1)
    expect(await node.read(id)).toMatchObject({ state: 'QUEUED' })
    heal()
    await node.mineUntil([id], 'CONFIRMED')
  })

  scenario('its revert is overruled by the block that is followed', async () => {
    const heal = node.proxy.on(ESTIMATE, ({ params: [, at] }) =>
      at === 'latest' ? rpcError(3, 'execution reverted: not yet') : undefined,
    )
    const id = await node.send()
    heal()
    expect((await node.drover().get(`/v1/transactions/${id}`)).body).toMatchObject({ simulated: true })
    await node.mineUntil([id], 'CONFIRMED')
  })

  scenario('if a node accepts no block parameter, a revert counts only at the second head', async () => {
    const heal = node.proxy.on(ESTIMATE, ({ params: [, at] }) =>
      at === 'latest' ? rpcError(3, 'execution reverted: no') : rpcError(-32602, 'invalid argument 1'),
    )
    const id = await node.send()
    await node.until(id, ({ subState }) => subState === 'waiting_for_node')
    await mineAndFollow(1)
    const ended = await node.until(id, ({ state }) => state === 'CANCELLED')
    heal()
    expect(ended).toMatchObject({ subState: 'rejected', nonce: null, error: { code: 'reverted' } })
  })
})

describe('a reorg past finality', () => {
  beforeAll(async () => {
    node = await startSingleNode({ preset: 'stable' })
    await mineAndFollow(3)
  })
  afterAll(() => node.close())

  scenario('final stays final, and the lost transactions and nonces are reported', async () => {
    const ids = [await node.send(), await node.send()]
    await node.mineUntil(ids, 'CONFIRMED')
    await mineAndFollow(2)
    await node.chain.reorg((await node.chain.blockNumber()) - 2)
    const [{ detail }] = await eventually(
      () => events('finality.broken'),
      ({ length }) => length > 0,
    )
    expect(detail).toMatchObject({ gone: 2, nonces: [0, 1] })
    expect([...detail.transactions].sort()).toEqual([...ids].sort())
    expect(await node.metric('drover_final_reorgs_total')).toBe(1)
    expect(node.drover().output()).toContain('final blocks were reorged')
    for (const id of ids) expect(await node.read(id)).toMatchObject({ state: 'CONFIRMED' })
    const next = await node.send()
    await node.until(next, ({ nonce }) => nonce === 2)
    await mineAndFollow(1)
    expect(await explain(next)).toMatchObject({
      cause: 'nonces_missing',
      summary: expect.stringContaining('nonces 0 to 1, which were final, are no longer on it'),
    })
  })
})

describe('rate limits', () => {
  afterAll(() => node.close())

  scenario(
    '30 % of requests answered 429: the follower still reaches the head, and no answer is wasted',
    async (remark) => {
      node = await startSingleNode({ preset: 'fast', env: { DROVER_POLL_INTERVAL: '500ms' } })
      const asked = node.proxy.requestCount
      refuseShare(node.proxy, 0.3)
      await mineAndFollow(30)
      await mineAndFollow(3)
      remark(`33 blocks in ${node.proxy.requestCount - asked} requests`)
      expect(await health()).toMatchObject({ state: 'ok' })
    },
  )
})
