/** What every chain behind the port does, whatever is behind it. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Fees } from '../../core/fees/fees.ts'
import type { Address, Hash, Hex } from '../../core/hex.ts'
import { type Block, type Call, type Chain, ChainUnavailable } from '../../ports/chain.ts'
import type { SignedTransaction, Signer } from '../../ports/signer.ts'

export interface ChainHarness {
  /** Its node will not estimate a call with UNTRIED_DATA, in words that prove nothing about the call. */
  readonly chain: Chain
  /** Holds the keys of both accounts. */
  readonly signer: Signer
  readonly rich: Address
  readonly poor: Address
  /** Blocks appear by this alone. */
  mine(): Promise<void>
  /** Replaces so many blocks by as many empty ones; their transactions are lost to the node. */
  reorg(depth: number): Promise<void>
  /** No answer comes after this. */
  breakDown(): Promise<void>
  close(): Promise<void>
}

/** Deploys nothing: the constructor reverts with `Error("nope")`. */
export const REVERTING_CODE: Hex = `0x6064600a5f3960645ffd08c379a0${'20'.padStart(64, '0')}${'4'.padStart(64, '0')}${'6e6f7065'.padEnd(64, '0')}`
export const UNTRIED_DATA: Hex = '0x0bad'
/** Deploys a contract without code. */
const EMPTY_CODE: Hex = '0x5f5ff3'

const GWEI = 1_000_000_000n
const UNKNOWN: Hash = `0x${'ab'.repeat(32)}`

export function describeChain(name: string, open: () => Promise<ChainHarness>): void {
  describe(`${name} as a chain`, () => {
    let harness: ChainHarness
    let chain: Chain
    beforeEach(async () => {
      harness = await open()
      chain = harness.chain
    })
    afterEach(() => harness.close())

    function sign(nonce: number, change: SignChange = {}): Promise<SignedTransaction> {
      return signTransfer(harness, nonce, change)
    }
    async function mineWith(...transactions: readonly SignedTransaction[]): Promise<Block> {
      const outcomes = await chain.broadcast(transactions)
      expect(outcomes).toEqual(transactions.map(() => ({ type: 'accepted' })))
      await harness.mine()
      return await getLatest(chain)
    }

    describe('blocks', () => {
      test('are linked, and the same by number, hash and tag', async () => {
        const before = await getLatest(chain)
        await harness.mine()
        const head = await getLatest(chain)
        expect(head.number).toBe(before.number + 1)
        expect(head.parentHash).toBe(before.hash)
        expect(await chain.getBlock(head.number)).toEqual(head)
        expect(await chain.getBlock({ hash: head.hash })).toEqual(head)
        expect(await chain.getHeight()).toBe(head.number)
      })

      test('show how much of their gas is used, and its price', async () => {
        const { room } = await mineWith(await sign(0), await sign(1))
        expect(room?.gasUsed).toBe(42_000n)
        expect(room?.gasLimit).toBeGreaterThanOrEqual(30_000_000n)
        expect(room?.baseFeePerGas).toBeGreaterThan(0n)
      })

      test('fire timers: by height, with their state, and up to the first that is not there', async () => {
        for (let count = 0; count < 2; count++) await harness.mine()
        const head = await getLatest(chain)
        const found = await chain.readAgreedBlocks([head.number - 1, head.number, head.number + 1])
        expect(found.map(({ number, hash, parentHash }) => [number, hash, parentHash])).toEqual([
          [head.number - 1, head.parentHash, (await chain.getBlock(head.number - 1))?.parentHash],
          [head.number, head.hash, head.parentHash],
        ])
        for (const { stateRoot } of found) expect(stateRoot).toMatch(/^0x[0-9a-f]{64}$/)
        await expect(chain.readAgreedBlocks([head.number + 1])).rejects.toThrow(ChainUnavailable)
        expect(await chain.readAgreedLogs(found, [harness.rich])).toEqual([[], []])
        const unknown = { number: head.number, hash: UNKNOWN }
        await expect(chain.readAgreedLogs([unknown], [harness.rich])).rejects.toThrow(ChainUnavailable)
      })

      test('answer view calls as they were then', async () => {
        await harness.mine()
        const { hash } = await getLatest(chain)
        const call = { to: harness.rich, data: '0x', gas: 100_000n } as const
        const calls = [UNKNOWN, hash].map((blockHash) => ({ ...call, blockHash }))
        expect(await chain.readAgreedViews(calls)).toEqual([
          { type: 'unknown', message: expect.any(String) },
          { type: 'value', data: '0x' },
        ])
      })

      test('that do not exist are null', async () => {
        const head = await getLatest(chain)
        expect(await chain.getBlock(head.number + 1)).toBeNull()
        expect(await chain.getBlock({ hash: UNKNOWN })).toBeNull()
      })

      test('are read many at a time, and those that do not exist are left out', async () => {
        for (let count = 0; count < 3; count++) await harness.mine()
        const head = await getLatest(chain)
        const blocks = await chain.getBlocks([-2, -1, 0, 1, 2].map((offset) => head.number + offset))
        expect(blocks.map(({ number }) => number)).toEqual([head.number - 2, head.number - 1, head.number])
        expect(blocks.at(-1)).toEqual(head)
        expect(await chain.getBlocks([])).toEqual([])
      })

      test('carry tags that are not above the head', async () => {
        const { safe, finalized } = await chain.getTags()
        const head = await getLatest(chain)
        expect(safe).not.toBeNull()
        expect(safe ?? 0).toBeLessThanOrEqual(head.number)
        expect(finalized ?? 0).toBeLessThanOrEqual(safe ?? 0)
        expect((await chain.getBlock('safe'))?.number).toBe(safe)
        expect((await chain.getBlock('finalized'))?.number).toBe(finalized)
      })

      test('are announced', async () => {
        // A listener may be told of the head that was there before it came: only a higher one counts.
        const before = await getLatest(chain)
        const announced = new Promise<void>((resolve) => {
          const stop = chain.onHeadHint(async () => {
            if ((await getLatest(chain)).number <= before.number) return
            stop()
            resolve()
          })
        })
        await harness.mine()
        await announced
      })
    })

    describe('sending', () => {
      test('in order is accepted and mined in order', async () => {
        const sent = await Promise.all([sign(0), sign(1), sign(2)])
        const block = await mineWith(...sent)
        expect(block.txHashes).toEqual(sent.map(({ hash }) => hash))
      })

      test('the same bytes again is already known', async () => {
        const tx = await sign(0)
        expect(await chain.broadcast([tx])).toEqual([{ type: 'accepted' }])
        expect(await chain.broadcast([tx])).toEqual([{ type: 'already_known' }])
      })

      test('a used nonce is too low, by our bytes or by others', async () => {
        const tx = await sign(0)
        await mineWith(tx)
        const outcomes = await chain.broadcast([tx, await sign(0, { value: 2n })])
        expect(outcomes.map(({ type }) => type)).toEqual(['nonce_too_low', 'nonce_too_low'])
      })

      test('a rival that does not outbid is underpriced, one that does takes the place', async () => {
        const [first, cheaper, better] = await Promise.all([
          sign(0, { feeGwei: 10n }),
          sign(0, { feeGwei: 9n }),
          sign(0, { feeGwei: 15n }),
        ])
        expect((await chain.broadcast([first, cheaper])).map(({ type }) => type)).toEqual([
          'accepted',
          'replacement_underpriced',
        ])
        const block = await mineWith(better)
        expect(block.txHashes).toEqual([better.hash])
        expect(await chain.findReceipts([first.hash])).toEqual([{ type: 'missing' }])
      })

      test('without the money is told', async () => {
        const [outcome] = await chain.broadcast([await sign(0, { from: harness.poor })])
        expect(outcome?.type).toBe('insufficient_funds')
      })

      test('past a gap is accepted and waits for the gap to close', async () => {
        const [zero, one, two] = await Promise.all([sign(0), sign(1), sign(2)])
        expect((await mineWith(zero, two)).txHashes).toEqual([zero.hash])
        expect((await mineWith(one)).txHashes).toEqual([one.hash, two.hash])
      })

      test('what is no transaction is invalid, one of another chain proves nothing, and neither harms its neighbour', async () => {
        const good = await sign(0)
        const foreign = await sign(1, { chainId: 5 })
        const outcomes = await chain.broadcast([{ raw: '0x00', hash: UNKNOWN }, foreign, good])
        expect(outcomes).toMatchObject([
          { type: 'invalid', reason: 'malformed' },
          { type: 'ambiguous' },
          { type: 'accepted' },
        ])
      })

      test('nothing needs no answer', async () => {
        expect(await chain.broadcast([])).toEqual([])
      })
    })

    describe('receipts', () => {
      test('are found by block and by hash, and are of that block', async () => {
        const sent = await Promise.all([sign(0), sign(1), sign(2)])
        const block = await mineWith(...sent)
        const hashes = sent.map(({ hash }) => hash)
        const inclusions = await chain.getInclusions(block, [...hashes, UNKNOWN])
        expect(inclusions.map(({ txHash }) => txHash)).toEqual(hashes)
        expect(inclusions[1]).toMatchObject({ blockHash: block.hash, blockNumber: block.number, txIndex: 1 })
        expect(inclusions[1]).toMatchObject({ succeeded: true, gasUsed: 21_000n, contractAddress: null })
        expect(await chain.getInclusions(block, hashes.slice(0, 1))).toEqual(inclusions.slice(0, 1))
        expect(await chain.findReceipts([hashes[1] ?? UNKNOWN, UNKNOWN])).toEqual([
          { type: 'found', inclusion: inclusions[1] },
          { type: 'missing' },
        ])
      })

      test('are not given for another block than asked for', async () => {
        const before = await getLatest(chain)
        const tx = await sign(0)
        await mineWith(tx)
        expect(await chain.getInclusions(before, [tx.hash])).toEqual([])
      })

      test('tell a deployment from a revert', async () => {
        const deploy = await sign(0, { to: null, data: EMPTY_CODE, gasLimit: 100_000n, value: 0n })
        const revert = await sign(1, { to: null, data: REVERTING_CODE, gasLimit: 100_000n, value: 0n })
        const block = await mineWith(deploy, revert)
        const [deployed, reverted] = await chain.getInclusions(block, [deploy.hash, revert.hash])
        expect(deployed).toMatchObject({ succeeded: true })
        expect(deployed?.contractAddress).toMatch(/^0x[0-9a-f]{40}$/)
        expect(reverted).toMatchObject({ succeeded: false, contractAddress: null })
      })
    })

    describe('accounts', () => {
      test('count what is mined, and what waits without a gap', async () => {
        await mineWith(await sign(0))
        await chain.broadcast(await Promise.all([sign(1), sign(3)]))
        expect(await chain.getTransactionCount(harness.rich, 'latest')).toBe(1)
        expect(await chain.getTransactionCount(harness.rich, 'pending')).toBe(2)
        expect(await chain.getCounts(harness.rich)).toEqual({ latest: 1, pending: 2 })
      })

      test('count what was mined up to a height', async () => {
        const first = await mineWith(await sign(0))
        const second = await mineWith(await sign(1), await sign(2))
        const counts = [first.number - 1, first.number, second.number].map((height) =>
          chain.getTransactionCount(harness.rich, height),
        )
        expect(await Promise.all(counts)).toEqual([0, 1, 3])
        await expect(chain.getTransactionCount(harness.rich, second.number + 1)).rejects.toThrow(ChainUnavailable)
      })

      test('show what waits, and which hashes the node knows', async () => {
        const [mined, next, ahead] = await Promise.all([sign(0), sign(1), sign(3)])
        await mineWith(mined)
        await chain.broadcast([next, ahead])
        const hashes = [mined.hash, next.hash, ahead.hash, UNKNOWN]
        const expected = { latest: 1, pending: 2, knows: [true, true, true, false] }
        expect(await chain.lookAtPool(harness.rich, hashes)).toEqual(expected)
        expect(await chain.lookAtPool(harness.poor, [])).toEqual({ latest: 0, pending: 0, knows: [] })
      })

      test('pay value and gas', async () => {
        const before = await chain.getBalance(harness.poor)
        const had = await chain.getBalance(harness.rich)
        const tx = await sign(0, { to: harness.poor, value: 5n })
        const [inclusion] = await chain.getInclusions(await mineWith(tx), [tx.hash])
        expect(await chain.getBalance(harness.poor)).toBe(before + 5n)
        const fee = (inclusion?.gasUsed ?? 0n) * (inclusion?.effectiveGasPrice ?? 0n)
        expect(await chain.getBalance(harness.rich)).toBe(had - 5n - fee)
      })

      test('had their balances after each block, and none after one that is not there', async () => {
        const before = await getLatest(chain)
        const had = await chain.getBalance(harness.poor)
        const after = await mineWith(await sign(0, { to: harness.poor, value: 5n }))
        const both = [harness.poor, harness.rich]
        const [poor, rich] = await chain.getBalances(both, after.number)
        expect(poor).toBe(had + 5n)
        expect(rich).toBe(await chain.getBalance(harness.rich))
        expect((await chain.getBalances(both, before.number))[0]).toBe(had)
        expect(await chain.getBalances(both, after.number + 1)).toEqual([null, null])
        expect(await chain.getBalances([], after.number)).toEqual([])
      })

      test('have no code unless some was put there', async () => {
        expect(await chain.getCode(harness.poor)).toBe('0x')
      })

      test('own their transactions, in the pool and in a block', async () => {
        const tx = await sign(0)
        expect(await chain.findTransaction(tx.hash)).toBeNull()
        await chain.broadcast([tx])
        const expected = { hash: tx.hash, from: harness.rich, nonce: 0 }
        expect(await chain.findTransaction(tx.hash)).toEqual(expected)
        const strange = `0x${'5e'.repeat(32)}` as const
        expect(await chain.findTransactionsAnywhere([strange, tx.hash])).toEqual([null, expected])
        await harness.mine()
        expect(await chain.findTransaction(tx.hash)).toEqual(expected)
        expect(await chain.findTransactionsAnywhere([tx.hash, strange])).toEqual([expected, null])
        expect(await chain.findTransactionsAnywhere([])).toEqual([])
      })

      test('have logs once they are in a block, and say in which', async () => {
        const tx = await sign(0)
        await chain.broadcast([tx])
        expect(await chain.findLogs(tx.hash)).toBeNull()
        await harness.mine()
        expect(await chain.findLogs(tx.hash)).toEqual({ blockHash: (await getLatest(chain)).hash, logs: [] })
      })
    })

    test('the user of a nonce is found in its block, with what it did, and only there', async () => {
      const paid = await sign(0, { to: harness.poor, value: 5n })
      const reverted = await sign(1, { to: null, data: REVERTING_CODE, gasLimit: 100_000n, value: 0n })
      const block = await mineWith(paid, reverted)
      const find = (nonce: number, height = block.number) => chain.findNonceUser(height, harness.rich, nonce)
      const common = { chainId: chain.chainId, from: harness.rich, isPlain: true, minedAt: block.timestamp * 1_000 }
      expect(await find(0)).toMatchObject({
        ...common,
        nonce: 0,
        to: harness.poor,
        value: 5n,
        data: '0x',
        inclusion: { txHash: paid.hash, blockHash: block.hash, succeeded: true },
      })
      expect(await find(1)).toMatchObject({
        ...common,
        nonce: 1,
        to: null,
        value: 0n,
        data: REVERTING_CODE,
        inclusion: { txHash: reverted.hash, succeeded: false },
      })
      expect(await find(2)).toBeNull()
      expect(await find(0, block.number - 1)).toBeNull()
      await expect(find(0, block.number + 1)).rejects.toThrow(ChainUnavailable)
    })

    test('an estimate tells success, revert and missing funds apart, per call', async () => {
      const call: Call = { from: harness.rich, to: harness.poor, data: '0x', value: 1n, gasLimit: null }
      const outcomes = await chain.estimate(
        [call, { ...call, to: null, data: REVERTING_CODE, value: 0n }, { ...call, value: 10n ** 40n }],
        await getLatest(chain),
      )
      expect(outcomes[0]).toEqual({ type: 'ok', gas: 21_000n })
      expect(outcomes[1]).toEqual({ type: 'reverted', reason: 'nope', data: `0x${REVERTING_CODE.slice(22)}` })
      expect(outcomes[2]?.type).toBe('insufficient_funds')
    })

    test('a gas limit that no node would take is invalid: less than is needed, more than a block has', async () => {
      const call = callOf(harness)
      const limits = [20_999n, 21_000n, 2n ** 40n]
      const outcomes = await chain.estimate(
        limits.map((gasLimit) => ({ ...call, gasLimit })),
        await getLatest(chain),
      )
      expect(outcomes.map(({ type }) => type)).toEqual(['invalid', 'ok', 'invalid'])
    })

    test('a failure counts at the head that is followed: elsewhere it is doubted, at an unknown block unknown', async () => {
      const call = { ...callOf(harness), to: null, data: REVERTING_CODE }
      const fine = callOf(harness)
      await harness.mine()
      const head = await getLatest(chain)
      expect(await chain.estimate([call, fine], head)).toMatchObject([
        { type: 'reverted', reason: 'nope' },
        { type: 'ok' },
      ])
      expect((await chain.estimate([call], head))[0]).not.toHaveProperty('atLatest')
      expect(await chain.estimate([call, fine], null)).toMatchObject([
        { type: 'reverted', atLatest: true },
        { type: 'ok' },
      ])
      const unknown = { number: head.number + 1, hash: UNKNOWN }
      expect(await chain.estimate([call, fine], unknown)).toMatchObject([{ type: 'unknown' }, { type: 'ok' }])
    })

    test('a call that the node will not run is unknown, and its neighbours have their outcomes', async () => {
      const call = callOf(harness)
      const outcomes = await chain.estimate(
        [call, { ...call, data: UNTRIED_DATA }, { ...call, value: 10n ** 40n }],
        await getLatest(chain),
      )
      expect(outcomes.map(({ type }) => type)).toEqual(['ok', 'unknown', 'insufficient_funds'])
    })

    test('a node that runs no call at all is unavailable', async () => {
      const call = { ...callOf(harness), data: UNTRIED_DATA }
      await expect(chain.estimate([call], null)).rejects.toThrow(ChainUnavailable)
      await expect(chain.estimate([call, { ...call, value: 1n }], null)).rejects.toThrow(ChainUnavailable)
      expect(await chain.estimate([], null)).toEqual([])
    })

    test('the fee market has a base fee, and prices that do not fall with speed', async () => {
      const { baseFeePerGas, gasPrice, priorityFeePerGas } = await chain.getFeeMarket()
      expect(baseFeePerGas).toBeGreaterThan(0n)
      expect(gasPrice).toBeGreaterThan(0n)
      expect(priorityFeePerGas.slow).toBeGreaterThan(0n)
      expect(priorityFeePerGas.standard).toBeGreaterThanOrEqual(priorityFeePerGas.slow)
      expect(priorityFeePerGas.fast).toBeGreaterThanOrEqual(priorityFeePerGas.standard)
    })

    test('a reorg changes hashes, withdraws receipts and frees the nonce', async () => {
      const tx = await sign(0)
      const block = await mineWith(tx)
      await harness.reorg(1)
      const replaced = await chain.getBlock(block.number)
      expect(replaced?.hash).not.toBe(block.hash)
      expect(replaced?.parentHash).toBe(block.parentHash)
      expect(await chain.findReceipts([tx.hash])).toEqual([{ type: 'missing' }])
      expect(await chain.getTransactionCount(harness.rich, 'latest')).toBe(0)
      expect((await mineWith(tx)).txHashes).toEqual([tx.hash])
    })

    test('without answers reads throw, lookups fail and sends are ambiguous', async () => {
      const tx = await sign(0)
      await harness.breakDown()
      await expect(chain.getBlock('latest')).rejects.toThrow(ChainUnavailable)
      expect(await chain.getBlocks([0, 1])).toEqual([])
      expect(await chain.getBalances([harness.rich], 0)).toEqual([null])
      await expect(chain.getTransactionCount(harness.rich, 'latest')).rejects.toThrow(ChainUnavailable)
      await expect(chain.getCounts(harness.rich)).rejects.toThrow(ChainUnavailable)
      await expect(chain.findLogs(UNKNOWN)).rejects.toThrow(ChainUnavailable)
      await expect(chain.lookAtPool(harness.rich, [tx.hash])).rejects.toThrow(ChainUnavailable)
      await expect(chain.getFeeMarket()).rejects.toThrow(ChainUnavailable)
      await expect(chain.estimate([callOf(harness)], null)).rejects.toThrow(ChainUnavailable)
      expect((await chain.findReceipts([tx.hash])).map(({ type }) => type)).toEqual(['failed'])
      expect((await chain.broadcast([tx])).map(({ type }) => type)).toEqual(['ambiguous'])
    })
  })
}

interface SignChange {
  readonly from?: Address
  readonly to?: Address | null
  readonly data?: Hex
  readonly value?: bigint
  readonly gasLimit?: bigint
  readonly feeGwei?: bigint
  readonly chainId?: number
}

function signTransfer(harness: ChainHarness, nonce: number, change: SignChange): Promise<SignedTransaction> {
  const fee = (change.feeGwei ?? 10n) * GWEI
  const fees: Fees = { type: 'eip1559', maxFeePerGas: fee, maxPriorityFeePerGas: fee / 10n }
  return harness.signer.sign(change.from ?? harness.rich, {
    chainId: change.chainId ?? harness.chain.chainId,
    nonce,
    to: change.to === undefined ? harness.poor : change.to,
    data: change.data ?? '0x',
    value: change.value ?? 1n,
    gasLimit: change.gasLimit ?? 21_000n,
    fees,
  })
}

function callOf(harness: ChainHarness): Call {
  return { from: harness.rich, to: harness.poor, data: '0x', value: 0n, gasLimit: null }
}

async function getLatest(chain: Chain): Promise<Block> {
  const block = await chain.getBlock('latest')
  if (block === null) throw new Error('a chain has a latest block')
  return block
}
