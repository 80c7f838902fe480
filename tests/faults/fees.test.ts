/** Nodes that lie about prices, callers that offer too much, chains where gas is free, and prices that fall. */
import { afterEach, describe, expect } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { answer, change } from '../setup/rpc-reactions.ts'
import { scenario } from './scenario.ts'
import { type SeenTransaction, type SingleNode, startSingleNode } from './single-node.ts'

const GWEI = 10n ** 9n
const ETHER = 10n ** 18n
const PLAIN = { gasLimit: '21000', simulate: false }
/** 4,200 ether for a plain transfer. */
const HUGE = 2n * 10n ** 17n
const hex = (wei: bigint) => `0x${wei.toString(16)}`

interface SeenAttempt {
  readonly kind: string
  readonly gasLimit: string
  readonly fees: { readonly maxFeePerGas: string }
}

let node: SingleNode
let second: RpcProxy | null = null

afterEach(async () => {
  await node.close()
  await second?.stop()
  second = null
})

const inflateHistory = change((result) => {
  const history = result as { baseFeePerGas: string[]; gasUsedRatio: number[] }
  return {
    ...history,
    baseFeePerGas: history.baseFeePerGas.map(() => hex(HUGE)),
    gasUsedRatio: history.gasUsedRatio.map(() => 0.5),
    reward: history.gasUsedRatio.map(() => [HUGE, HUGE, HUGE].map(hex)),
  }
})
const LIES = {
  eth_feeHistory: inflateHistory,
  eth_maxPriorityFeePerGas: answer(hex(HUGE)),
  eth_gasPrice: answer(hex(HUGE)),
} as const

function lieAbout(proxy: RpcProxy, methods: readonly (keyof typeof LIES)[]): () => void {
  const heals = methods.map((method) => proxy.on(method, LIES[method]))
  return () => {
    for (const heal of heals) heal()
  }
}

const ALL_LIES = Object.keys(LIES) as (keyof typeof LIES)[]

/** What a mined transaction paid per gas, beside what the chain's own node asks. */
async function expectFairPrice({ hash }: SeenTransaction): Promise<void> {
  const receipt = await node.chain.rpc<{ effectiveGasPrice: string }>('eth_getTransactionReceipt', [hash])
  const honest = BigInt(await node.chain.rpc<string>('eth_gasPrice'))
  expect(BigInt(receipt.effectiveGasPrice)).toBeLessThanOrEqual(honest * 5n)
}

async function confirmOne(intent: Record<string, unknown> = {}): Promise<SeenTransaction> {
  const id = await node.send(intent)
  await node.mineUntil([id], 'CONFIRMED')
  return await node.read(id)
}

async function attemptsOf(id: string): Promise<readonly SeenAttempt[]> {
  return (await node.drover().get(`/v1/transactions/${id}/attempts`)).body.items
}

async function expectWithin(id: string, capWei: bigint): Promise<void> {
  for (const { gasLimit, fees } of await attemptsOf(id))
    expect(BigInt(gasLimit) * BigInt(fees.maxFeePerGas)).toBeLessThanOrEqual(capWei)
}

/** Followed when it returns: balances and prices are read once per block. */
async function mineAt(baseFee: bigint): Promise<void> {
  await node.chain.setNextBlockBaseFee(baseFee)
  await node.chain.mine(1)
  const height = await node.chain.blockNumber()
  const [chain] = await eventually(
    async () => (await node.drover().get('/v1/chains')).body.items,
    ([{ head }]) => (head?.number ?? 0) >= height,
  )
  expect(chain.following).toBe(true)
  // The price is read after the block. A transaction prepared in between would offer the price before.
  await eventually(
    async () => BigInt((await node.drover().get('/v1/chains/31337/fees')).body.nextBaseFeePerGas ?? 0),
    (next) => next > (baseFee * 3n) / 4n && next < (baseFee * 5n) / 4n,
  )
}

async function mineAtUntil(baseFee: bigint, id: string, isGood: (tx: SeenTransaction) => boolean): Promise<void> {
  await eventually(
    async () => {
      await mineAt(baseFee)
      return await node.read(id)
    },
    isGood,
    { everyMs: 300 },
  )
}

const explain = async (id: string) => (await node.drover().get(`/v1/transactions/${id}/explain`)).body
const setPolicy = async (policy: Record<string, unknown>) => {
  const answered = await node.drover().request('PATCH', `/v1/signers/${node.sender.address}`, { policy })
  expect(answered).toMatchObject({ status: 200 })
}
const waitsForPrice = ({ subState }: SeenTransaction) => subState === 'fee_above_cap'
const isSent = ({ state }: SeenTransaction) => state === 'TRACKING'

describe('a node that inflates prices', () => {
  scenario(
    'the only node lies with one method at a time: a transfer pays a fair price, and the node is named',
    async () => {
      node = await startSingleNode({ preset: 'fast' })
      await confirmOne()
      for (const method of ALL_LIES) {
        const heal = lieAbout(node.proxy, [method])
        const tx = await confirmOne()
        await expectFairPrice(tx)
        expect(await node.metric('drover_fee_suspicions_total', `source="${method}"`)).toBeGreaterThan(0)
        heal()
      }
      expect(node.drover().output()).toContain('RPC node reports a fee far above the others')
    },
  )

  scenario(
    'the first of two nodes lies about everything: prices come from the other, from the first transaction on',
    async () => {
      node = await startSingleNode({
        preset: 'fast',
        rpcUrl: async (proxyUrl, chainUrl) => {
          second = await startRpcProxy(chainUrl)
          return `${proxyUrl},${second.url}`
        },
      })
      lieAbout(node.proxy, ALL_LIES)
      for (const speed of ['slow', 'fast']) await expectFairPrice(await confirmOne({ speed }))
    },
  )

  scenario(
    'the only node lies about everything: nothing is signed and explain names the node; once it is honest, the next block continues [G11]',
    async () => {
      node = await startSingleNode({ preset: 'stable' })
      // From its first word on: one that knows what gas cost before notices a lie.
      await node.stopService()
      const heal = lieAbout(node.proxy, ALL_LIES)
      await node.start()
      const id = await node.send(PLAIN)
      const waiting = await node.until(id, waitsForPrice)
      expect(waiting).toMatchObject({ state: 'QUEUED', nonce: null, error: { code: 'fee_above_cap' } })
      const { cause, summary, nextAction } = await explain(id)
      expect(cause).toBe('fee_above_cap')
      for (const words of [new URL(node.proxy.url).host, '1 ETH per transaction', 'the chain setting maxTxFee'])
        expect(summary).toContain(words)
      expect(nextAction).toContain('with every block')
      heal()
      await node.chain.mine(1)
      await node.until(id, isSent)
      await node.mineUntil([id], 'CONFIRMED')
      await expectFairPrice(await node.read(id))
    },
  )
})

scenario('fees of the caller above the cap are refused with the field name, over HTTP and JSON-RPC', async () => {
  node = await startSingleNode({ preset: 'fast' })
  const intent = { from: node.sender.address, to: node.sender.address, value: '1' }
  const post = async (body: Record<string, unknown>) =>
    await node.drover().post('/v1/transactions', { ...intent, ...body })
  const offer = (wei: bigint) => ({ maxFeePerGas: String(wei), maxPriorityFeePerGas: '1' })
  // 21,000 gas is the least: what is too dear with that needs no estimate.
  expect(await post({ fees: offer(HUGE / 2n) })).toMatchObject({
    status: 422,
    body: { code: 'transaction_rejected', field: 'fees.maxFeePerGas' },
  })
  expect(await post({ fees: { gasPrice: String(HUGE) } })).toMatchObject({
    status: 422,
    body: { field: 'fees.gasPrice' },
  })
  const exact = ETHER / 1_000_000n
  expect((await post({ gasLimit: '1000000', fees: offer(exact + 1n) })).body.detail).toContain('1 ETH per transaction')
  expect((await post({ gasLimit: '1000000', fees: offer(exact) })).status).toBe(202)
  await setPolicy({ maxTxFee: String(ETHER / 10n) })
  await eventually(
    async () => await post({ gasLimit: '1000000', fees: offer(exact) }),
    ({ status, body }) => status === 422 && body.detail.includes("the signer's policy"),
  )
  const call = { method: 'eth_sendTransaction', params: [{ ...intent, value: '0x1', gasPrice: hex(HUGE) }] }
  const rpc = await node.drover().post('/rpc', { jsonrpc: '2.0', id: 1, ...call })
  expect(rpc.body.error.message).toContain('but the limit is')
})

describe('at a cap of 5 gwei per gas for a transfer', () => {
  const cap = 25_200n * 5n * GWEI

  async function start(): Promise<void> {
    node = await startSingleNode({ preset: 'fast', env: { DROVER_BUMP_AFTER: '500ms' } })
    await setPolicy({ maxTxFee: String(cap) })
    await mineAt(GWEI)
  }

  scenario('bump and cancel stop at the cap; once the price falls it is mined', async () => {
    await start()
    const id = await node.send({ gasLimit: '25200' })
    await node.until(id, isSent)
    await mineAtUntil(40n * GWEI, id, waitsForPrice)
    expect((await explain(id)).summary).toContain("maxTxFee in the signer's policy")
    expect((await node.drover().post(`/v1/transactions/${id}/cancel`, { reason: 'a drill' })).status).toBe(200)
    const hasCancel = (attempts: readonly SeenAttempt[]) => attempts.some(({ kind }) => kind === 'cancel')
    await eventually(async () => await attemptsOf(id), hasCancel)
    await mineAtUntil(GWEI, id, ({ state }) => state === 'CANCELLED' || state === 'CONFIRMED')
    await expectWithin(id, cap)
  })

  scenario('a gap fill waits at the cap, and is sent once the price falls', async () => {
    await start()
    const reserved = await node.drover().post(`/v1/signers/${node.sender.address}/nonces`, { ttlMs: 600_000 })
    const [{ id: lent, nonce }] = reserved.body.items
    const id = await node.send(PLAIN)
    expect(await node.until(id, isSent)).toMatchObject({ nonce: nonce + 1 })
    await mineAt(40n * GWEI)
    const { lockOwner } = reserved.body
    expect((await node.drover().post(`/v1/nonces/${lent}/release`, { lockOwner })).status).toBe(200)
    const findFill = async (): Promise<SeenTransaction | undefined> =>
      (await node.drover().get('/v1/transactions')).body.items.find((tx: SeenTransaction) => tx.id !== id)
    await eventually(findFill, (fill) => fill?.subState === 'fee_above_cap')
    await mineAtUntil(GWEI, id, ({ state }) => state === 'CONFIRMED')
    const fill = await findFill()
    expect(fill).toMatchObject({ nonce, state: 'CONFIRMED' })
    for (const tx of [id, fill?.id ?? '']) await expectWithin(tx, cap)
  })
})

describe('where gas is free', () => {
  const FREE = ['--base-fee', '0', '--gas-price', '0', '--disable-min-priority-fee']

  scenario('an account without money sends', async () => {
    node = await startSingleNode({ preset: 'fast', chainArgs: FREE })
    await node.chain.setBalance(node.sender.address, 0n)
    const { id } = await confirmOne({ value: '0' })
    expect((await attemptsOf(id))[0]?.fees.maxFeePerGas).toBe('0')
  })

  scenario('a fixed price of zero is offered whatever the node suggests', async () => {
    node = await startSingleNode({ preset: 'stable', chainArgs: FREE, env: { DROVER_GAS_PRICE: '0' } })
    lieAbout(node.proxy, ALL_LIES)
    await node.chain.setBalance(node.sender.address, 0n)
    await confirmOne({ value: '0' })
  })

  scenario(
    'legacy transactions at a fixed price of zero: a speed-up says why not, a cancel offers no more',
    async () => {
      const env = { DROVER_GAS_PRICE: '0', DROVER_FEE_MODEL: 'legacy' }
      node = await startSingleNode({ preset: 'fast', chainArgs: FREE, env })
      await node.chain.setBalance(node.sender.address, 0n)
      const id = await node.send({ value: '0' })
      await node.until(id, isSent)
      const act = async (action: string) =>
        expect((await node.drover().post(`/v1/transactions/${id}/${action}`, { reason: 'a drill' })).status).toBe(200)
      await act('speed-up')
      const said = await eventually(
        async () => await explain(id),
        ({ cause }) => cause === 'bump_refused',
      )
      expect(said.summary).toContain('fixed at zero')
      await act('cancel')
      await eventually(
        async () => await attemptsOf(id),
        ({ length }) => length === 2,
      )
      await node.mineUntil([id], 'CONFIRMED', 'CANCELLED')
      // However many blocks pass, nothing above zero is signed.
      expect((await attemptsOf(id)).map(({ fees }) => fees)).toEqual([{ gasPrice: '0' }, { gasPrice: '0' }])
    },
  )
})

scenario(
  'the price falls: transactions waiting for funds, for their own price or for the cap continue with that block',
  async () => {
    node = await startSingleNode({ preset: 'fast' })
    const own = { maxFeePerGas: String(3n * GWEI), maxPriorityFeePerGas: String(GWEI) }
    await mineAt(40n * GWEI)
    const offering = await node.send({ ...PLAIN, fees: own })
    await node.until(offering, waitsForPrice)
    await node.chain.setBalance(node.sender.address, 42_000n * 5n * GWEI)
    await mineAt(40n * GWEI)
    const poor = await node.send(PLAIN)
    await node.until(poor, ({ subState }) => subState === 'waiting_for_funds')
    await mineAt(GWEI)
    for (const id of [offering, poor]) await node.until(id, isSent)
    await node.mineUntil([offering, poor], 'CONFIRMED')
    await node.chain.setBalance(node.sender.address, ETHER)
    await setPolicy({ maxFeePerGas: String(5n * GWEI) })
    await mineAt(40n * GWEI)
    const capped = await node.send(PLAIN)
    await node.until(capped, waitsForPrice)
    await mineAt(GWEI)
    await node.until(capped, isSent)
  },
)

scenario('raising a cap on another node wakes waiting transactions at once, without a block', async () => {
  node = await startSingleNode({ preset: 'fast', env: { DROVER_MAX_TX_FEE: '0.05 ether' } })
  await setPolicy({ maxTxFee: '1000' })
  const id = await node.send(PLAIN)
  await node.until(id, waitsForPrice)
  const other = await startDrover({
    databaseUrl: node.databaseUrl,
    rpcUrl: node.proxy.url,
    signerKeys: [developmentAccount(1).privateKey],
  })
  const height = await node.chain.blockNumber()
  const path = `/v1/signers/${node.sender.address}`
  expect((await other.request('PATCH', path, { policy: { maxTxFee: null } })).status).toBe(200)
  await node.until(id, isSent)
  expect(await node.chain.blockNumber()).toBe(height)
  expect((await node.drover().get(`/v1/chains/31337/fees`)).body).toMatchObject({
    maxTxFee: String(ETHER / 20n),
    saidBy: [new URL(node.proxy.url).host],
    caps: [],
  })
  await other.end()
})
