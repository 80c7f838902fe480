/** Reorgs around firing blocks: fires of dropped blocks vanish or are orphans, and no fire ever becomes two transactions. */
import { encodeFunctionData, parseAbi, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { COUNTER } from '../setup/contracts.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'

const sender = developmentAccount(0)
const other = developmentAccount(1)
const TICKING = `0x${'c0'.repeat(20)}` as const
const REACTING = `0x${'c1'.repeat(20)}` as const
const WATCHED = `0x${'c2'.repeat(20)}` as const
const DEPTHS = [1, 2, 3, 4, 5]
const DATA = encodeFunctionData({ abi: parseAbi(COUNTER.abi), functionName: 'increase', args: [1n] })

interface FireBody {
  readonly id: string
  readonly fireKey: string
  readonly height: number
  readonly blockHash: string
  readonly state: string
  readonly orphaned: boolean
  readonly aliases: readonly string[]
  readonly transactionId: string | null
}

describe.each([0, 3])('with deliverAt %i', (deliverAt) => {
  let service: TestService
  let ticking: string
  let reacting: string
  /** What the watch saw before each reorg, by depth. */
  const seen = new Map<number, FireBody>()

  beforeAll(async () => {
    service = await startService({
      env: {
        DROVER_FINALITY: '8',
        DROVER_SIGNER_POLICY: 'fast',
        DROVER_TIMERS_DELIVER_AT: String(deliverAt),
        DROVER_RESUBMIT_INTERVAL: '1s',
      },
    })
    const runtime = `0x${COUNTER.bytecode.slice(2 + 2 * 11)}`
    for (const at of [TICKING, REACTING, WATCHED]) await service.chain.setCode(at, runtime)
    await service.chain.mine(12)
    await service.chain.rpc('anvil_impersonateAccount', [other.address])
    const call = { function: 'increase(uint256)', args: ['1'] }
    const create = async (to: string, schedule: object) => {
      const body = { from: sender.address, to, call, gasLimit: '100000', schedule }
      return (await service.drover.post('/v1/timers', body)).body.id as string
    }
    ticking = await create(TICKING, { type: 'interval', blocks: 2 })
    reacting = await create(REACTING, { type: 'watch', contract: WATCHED })
  })
  afterAll(() => service?.stop())

  async function firesOf(id: string): Promise<readonly FireBody[]> {
    return (await service.drover.get(`/v1/timers/${id}/fires?limit=200`)).body.items
  }

  async function mine(blocks: number): Promise<void> {
    for (let count = 0; count < blocks; count++) {
      await service.chain.mine(1)
      const head = await service.chain.blockNumber()
      await eventually(
        async () => (await service.drover.get('/v1/timers/queue')).body.height as number,
        (height) => height > head,
      )
    }
  }

  async function hashAt(height: number): Promise<string | undefined> {
    const block = await service.chain.rpc<{ hash: string } | null>('eth_getBlockByNumber', [
      ...[`0x${height.toString(16)}`, false],
    ])
    return block?.hash
  }

  test.each(DEPTHS)('a reorg of depth %i is followed', async (depth) => {
    await mine(1)
    await service.chain.rpc('eth_sendTransaction', [{ from: other.address, to: WATCHED, data: DATA }])
    await mine(1)
    const height = await service.chain.blockNumber()
    const [fire] = await firesOf(reacting)
    expect(fire).toMatchObject({ height, blockHash: await hashAt(height), orphaned: false })
    if (fire !== undefined) seen.set(depth, fire)
    await mine(depth - 1)
    const before = (await firesOf(ticking)).find(({ height: at }) => at >= height)
    await service.chain.reorg(depth)
    await mine(1)
    const newest = await firesOf(reacting)
    const left = newest.find(({ fireKey }) => fireKey === fire?.fireKey)
    // Sent before the reorg or not: deep enough, it was; else there is nothing left of it.
    const wasSent = depth - 1 >= deliverAt
    const { state, transactionId } = left ?? {}
    expect(left).toEqual(wasSent ? { ...fire, state, transactionId, orphaned: true } : undefined)
    if (wasSent) expect(transactionId).toEqual(expect.any(String))
    if (before === undefined) return
    const again = (await firesOf(ticking)).find(({ fireKey }) => fireKey === before.fireKey)
    expect(again).toMatchObject({ height: before.height, orphaned: false, blockHash: await hashAt(before.height) })
    expect(again?.blockHash).not.toBe(before.blockHash)
    // What had become a transaction keeps it, under its first name.
    if (before.transactionId !== null)
      expect(again).toMatchObject({ id: before.id, transactionId: before.transactionId })
  })

  test('an orphan that is still in line is cancelled; the next event fires again, with a transaction of its own', async () => {
    const signer = `/v1/signers/${sender.address}`
    expect(await service.drover.post(`${signer}/pause`, { reason: 'test' })).toMatchObject({ status: 200 })
    const react = async () => {
      await service.chain.rpc('eth_sendTransaction', [{ from: other.address, to: WATCHED, data: DATA }])
      await mine(1 + deliverAt)
      return (await firesOf(reacting))[0]
    }
    // One event for each orphan of before: their fires come again, and keep their transactions.
    const first = await react()
    expect(first).toMatchObject({ orphaned: false, transactionId: expect.any(String) })
    const second = await react()
    expect(second).toMatchObject({ state: 'QUEUED', orphaned: false })
    await service.chain.reorg(1 + deliverAt)
    await mine(1)
    const orphan = await eventually(
      async () => (await firesOf(reacting)).find(({ fireKey }) => fireKey === second?.fireKey),
      (fire) => fire?.state === 'CANCELLED',
    )
    expect(orphan).toMatchObject({ orphaned: true, transactionId: second?.transactionId })
    const { items } = (await service.drover.get(`/v1/transactions/${second?.transactionId}/history`)).body
    expect(items.at(-1)).toMatchObject({ type: 'operator.cancelled', toState: 'CANCELLED' })
    const again = await react()
    expect(again).toMatchObject({ fireKey: second?.fireKey, state: 'QUEUED', orphaned: false, aliases: [second?.id] })
    expect(again?.transactionId).not.toBe(second?.transactionId)
    expect(await service.drover.post(`${signer}/resume`, { reason: 'test' })).toMatchObject({ status: 200 })
  })

  test('in the end each fire is at most one transaction, and each transaction one call [G10]', async () => {
    await mine(4)
    for (const id of [ticking, reacting]) {
      const { body } = await service.drover.request('DELETE', `/v1/timers/${id}`)
      expect(body).toMatchObject({ state: 'CANCELLED' })
    }
    for (const [id, target] of [
      [ticking, TICKING],
      [reacting, REACTING],
    ] as const) {
      const fires = await eventually(
        async () => {
          await service.chain.mine(1)
          return await firesOf(id)
        },
        (items) => items.every(({ transactionId }) => transactionId !== null),
      )
      expect(new Set(fires.map(({ fireKey }) => fireKey)).size).toBe(fires.length)
      const listed = async () =>
        (await service.drover.get(`/v1/transactions?limit=200&metadata=drover.timer%3D${id}`)).body.items as {
          readonly id: string
          readonly state: string
        }[]
      const transactions = await eventually(
        async () => {
          await service.chain.mine(1)
          return await listed()
        },
        (items) => items.every(({ state }) => state === 'CONFIRMED' || state === 'CANCELLED'),
      )
      // Orphans that were still in line were cancelled, and nothing else was.
      const ended = await firesOf(id)
      const sent = ended.filter(({ state }) => state === 'CONFIRMED')
      expect(ended.filter(({ orphaned, state }) => !orphaned && state !== 'CONFIRMED')).toEqual([])
      const confirmed = transactions.filter(({ state }) => state === 'CONFIRMED')
      expect(confirmed.map((tx) => tx.id).sort()).toEqual(sent.map(({ transactionId }) => transactionId).sort())
      const total = await service.chain.rpc('eth_call', [{ to: target, data: toFunctionSelector('total()') }, 'latest'])
      expect(Number(total)).toBe(sent.length)
    }
    const heights = (await firesOf(ticking)).map(({ height }) => height).reverse()
    expect(heights).toEqual(heights.map((_, index) => (heights[0] ?? 0) + 2 * index))
  })
})
