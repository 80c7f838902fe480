import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '../../core/hex.ts'
import { ChainUnavailable } from '../../ports/chain.ts'
import { createLocalSigner } from '../../signer/local-signer.ts'
import { type ChainHarness, describeChain, REVERTING_CODE, UNTRIED_DATA } from './chain.suite.ts'
import { type Behaviour, createFakeChain, type FakeChain, type FakeChainOptions } from './fake-chain.ts'

const KEYS: readonly Hex[] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
const signer = createLocalSigner(KEYS)
const [rich, poor] = [addressAt(0), addressAt(1)]

function addressAt(index: number): Address {
  const address = signer.addresses()[index]
  if (address === undefined) throw new Error('two keys give two addresses')
  return address
}

function behave({ data }: { readonly data: Hex }): Behaviour {
  if (data === UNTRIED_DATA) return { type: 'untried', message: 'header not found', gas: 21_000n }
  if (data !== REVERTING_CODE) return { type: 'ok', gas: 21_000n }
  return { type: 'reverted', reason: 'nope', data: `0x${data.slice(22)}`, gas: 21_000n }
}

function open(options: Partial<FakeChainOptions> = {}): FakeChain {
  return createFakeChain({ chainId: 1337, balances: { [rich]: 10n ** 20n }, behave, ...options })
}

describeChain('the fake chain', async (): Promise<ChainHarness> => {
  const chain = open()
  return {
    chain,
    signer,
    rich,
    poor,
    mine: async () => void chain.mine(),
    reorg: async (depth) => chain.reorg(depth),
    breakDown: async () => chain.setFault(() => 'unavailable'),
    close: () => chain.close(),
  }
})

function sign(nonce: number, from: Address = rich, feeGwei = 10n) {
  const maxFeePerGas = feeGwei * 10n ** 9n
  const fees = { type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas: maxFeePerGas / 10n } as const
  return signer.sign(from, { chainId: 1337, nonce, to: poor, data: '0x', value: 1n, gasLimit: 21_000n, fees })
}

describe('faults of the fake chain', () => {
  test('a lost answer is ambiguous, and the bytes are in the pool', async () => {
    const chain = open()
    const tx = await sign(0)
    chain.setFault(({ name }) => (name === 'broadcast' ? 'answer_lost' : null))
    expect(await chain.broadcast([tx])).toMatchObject([{ type: 'ambiguous' }])
    chain.setFault(null)
    expect(await chain.broadcast([tx])).toEqual([{ type: 'already_known' }])
    expect(chain.mine().txHashes).toEqual([tx.hash])
  })

  test('a request that never came through leaves nothing behind', async () => {
    const chain = open()
    const tx = await sign(0)
    chain.setFault(() => 'unavailable')
    expect(await chain.broadcast([tx])).toMatchObject([{ type: 'ambiguous' }])
    expect(chain.pooled()).toEqual([])
  })

  test('rate limits hold reads and sends', async () => {
    const chain = open()
    chain.setFault(() => 'rate_limited')
    expect(await chain.broadcast([await sign(0)])).toMatchObject([{ type: 'rate_limited' }])
    await expect(chain.getBalance(rich)).rejects.toThrow(ChainUnavailable)
    expect(chain.pooled()).toEqual([])
  })

  test('a stale node returns the count and head of one block ago', async () => {
    const chain = open()
    const tx = await sign(0)
    await chain.broadcast([tx])
    const head = chain.mine()
    chain.setFault(() => 'stale')
    expect(await chain.getTransactionCount(rich, 'latest')).toBe(0)
    expect((await chain.getBlock('latest'))?.hash).toBe(head.parentHash)
    expect(await chain.getBlock(head.number)).toBeNull()
  })

  test('a missing receipt is only missing from the answer', async () => {
    const chain = open()
    const [first, second] = await Promise.all([sign(0), sign(1)])
    await chain.broadcast([first, second])
    const block = chain.mine()
    chain.setFault(({ hash }) => (hash === first.hash ? 'receipt_missing' : null))
    const inclusions = await chain.getInclusions(block, [first.hash, second.hash])
    expect(inclusions.map(({ txHash }) => txHash)).toEqual([second.hash])
    expect(await chain.findReceipts([first.hash])).toEqual([{ type: 'missing' }])
  })
})

describe('the world of the fake chain', () => {
  test('a dropped pool forgets, and the same bytes are accepted again', async () => {
    const chain = open()
    const tx = await sign(0)
    await chain.broadcast([tx])
    chain.dropPool()
    expect(chain.mine().txHashes).toEqual([])
    expect(await chain.broadcast([tx])).toEqual([{ type: 'accepted' }])
  })

  test.each([
    ['dropped', 0, []],
    ['pooled', 0, ['in pool']],
    ['included', 1, []],
  ] as const)('a reorg that leaves transactions %s', async (keep, count, pool) => {
    const chain = open()
    const tx = await sign(0)
    await chain.broadcast([tx])
    const block = chain.mine()
    chain.reorg(1, { keep, length: 2 })
    expect(await chain.getTransactionCount(rich, 'latest')).toBe(count)
    expect(chain.pooled().length).toBe(pool.length)
    expect((await chain.getBlock('latest'))?.number).toBe(block.number + 1)
    const [lookup] = await chain.findReceipts([tx.hash])
    expect(lookup?.type).toBe(keep === 'included' ? 'found' : 'missing')
    if (lookup?.type === 'found') expect(lookup.inclusion.blockHash).not.toBe(block.hash)
  })

  test('what is preconfirmed has a receipt in a block that does not exist yet, until one does', async () => {
    const chain = open()
    const [first, second] = await Promise.all([sign(0), sign(1)])
    await chain.broadcast([first, second])
    const before = await chain.getBlock('latest')
    chain.preconfirm((tx) => tx.hash === first.hash)
    const [promised, none] = await chain.findReceipts([first.hash, second.hash])
    const blockNumber = (before?.number ?? 0) + 1
    expect(promised).toMatchObject({ type: 'found', inclusion: { txHash: first.hash, blockNumber, succeeded: true } })
    expect(none).toEqual({ type: 'missing' })
    expect(await chain.getBlock('latest')).toEqual(before)
    expect(await chain.getTransactionCount(rich, 'latest')).toBe(0)
    chain.mine(() => false)
    expect(await chain.findReceipts([first.hash])).toEqual([{ type: 'missing' }])
    const block = chain.mine()
    expect(block.txHashes).toEqual([first.hash, second.hash])
    expect(await chain.findReceipts([first.hash])).toMatchObject([{ inclusion: { blockHash: block.hash } }])
  })

  test('what pays less than the base fee waits, and its successors with it', async () => {
    const chain = open()
    const [low, next] = await Promise.all([sign(0, rich, 10n), sign(1, rich, 100n)])
    await chain.broadcast([low, next])
    chain.setBaseFee(50n * 10n ** 9n)
    expect(chain.mine().txHashes).toEqual([])
    chain.setBaseFee(10n ** 9n)
    expect(chain.mine().txHashes).toEqual([low.hash, next.hash])
  })

  test('a node may refuse gaps, and limit the transactions per account', async () => {
    const strict = open({ acceptsGaps: false, maxPerAccount: 1 })
    const [zero, one, two] = await Promise.all([sign(0), sign(1), sign(2)])
    expect(await strict.broadcast([two, zero, one])).toMatchObject([
      { type: 'nonce_gap' },
      { type: 'accepted' },
      { type: 'pool_full' },
    ])
  })

  test('the best paid come first, each sender in nonce order', async () => {
    const chain = open({ balances: { [rich]: 10n ** 20n, [poor]: 10n ** 20n } })
    const [first, second, other] = await Promise.all([sign(0, rich, 10n), sign(1, rich, 90n), sign(0, poor, 50n)])
    await chain.broadcast([second, first, other])
    expect(chain.mine().txHashes).toEqual([other.hash, first.hash, second.hash])
  })

  test('the same calls give the same hashes', async () => {
    const tx = await sign(0)
    const run = async () => {
      const chain = open()
      await chain.broadcast([tx])
      chain.mine()
      chain.reorg(1, { keep: 'pooled' })
      return chain.mine().hash
    }
    expect(await run()).toBe(await run())
  })
})
