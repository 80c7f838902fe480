/**
 * Two RPC nodes before one chain, whose words and deeds have nothing to do with each other: each answers what it likes
 * and keeps or drops the bytes as it likes. Blocks are made of whatever either of them kept.
 */

import type { DecodedTransaction } from '../../chain/decode-transaction.ts'
import { classifySendError, type NodeAnswer } from '../../chain/send/classify-send-error.ts'
import { combineSendOutcomes } from '../../chain/send/combine-send-outcomes.ts'
import { maxPricePerGas } from '../../core/fees/fees.ts'
import type { Hash, Hex } from '../../core/hex.ts'
import type { FakeChain } from '../chain/fake-chain.ts'
import type { Dice } from './dice.ts'

/** What nodes say, in their own words. */
const WORDS = [
  'already known',
  'nonce too low: next nonce 12, tx nonce 9',
  'replacement transaction underpriced',
  'transaction gas price below minimum: gas tip cap 0, minimum needed 1',
  'transaction underpriced',
  'max fee per gas less than block base fee',
  'insufficient funds for gas * price + value',
  'nonce too high',
  'txpool is full',
  'future transaction tries to replace pending',
  '15/second request limit reached',
  'intrinsic gas too low',
  'insufficient gas for floor data gas cost',
  'gas uint64 overflow',
  'tip higher than fee cap',
  'Invalid signature',
  'Failed to decode transaction',
  'exceeds block gas limit',
  'transaction gas limit too high',
  'tx fee (1.05 ether) exceeds the configured cap (1.00 ether)',
  'transaction type not supported',
  'Sender account not authorized to send transactions',
  'max initcode size exceeded',
  'oversized data: transaction size 131100, limit 131072',
  'invalid chain id for signer',
  'only replay-protected (EIP-155) transactions allowed over RPC',
  'gremlins',
] as const

export interface LyingEndpoints {
  /** From here on both say and do what is right. */
  makeHonest(): void
  /** A block of what the two kept, one at random where they have several for a nonce. */
  mine(): Promise<void>
}

export function createLyingEndpoints(
  chain: FakeChain,
  decode: (raw: Hex) => DecodedTransaction,
  dice: Dice,
): LyingEndpoints {
  const { broadcast: take } = chain
  const kept: readonly Map<Hash, DecodedTransaction>[] = [new Map(), new Map()]
  /** A mix of its own for each: from always right to never. */
  const honesty = new Map<Hash, number>()
  let isHonest = false

  async function answer(pool: Map<Hash, DecodedTransaction>, tx: DecodedTransaction): Promise<NodeAnswer | null> {
    const odds = honesty.get(tx.hash) ?? dice(4)
    honesty.set(tx.hash, odds)
    if (isHonest || dice(4) < odds) return await answerRight(pool, tx)
    // Not reached: it has no bytes. Everything else may come with or without them.
    if (dice(12) === 0) return null
    if (dice(2) === 0) pool.set(tx.hash, tx)
    if (dice(12) === 0) return { type: 'ambiguous', message: 'no answer' }
    if (dice(12) === 0) return { type: 'accepted' }
    // Some are unanimous: then nothing but what is done with the answer stands between a lie and the end of an intent.
    const words = WORDS[odds === 0 ? Number(BigInt(tx.hash) % BigInt(WORDS.length)) : dice(WORDS.length)] ?? 'gremlins'
    return classifySendError({ code: -32_000, message: words, data: null, httpStatus: 200 })
  }

  async function answerRight(pool: Map<Hash, DecodedTransaction>, tx: DecodedTransaction): Promise<NodeAnswer> {
    if (tx.gasLimit < 21_000n) return { type: 'invalid', reason: 'gas_too_low', message: 'intrinsic gas too low' }
    if (pool.has(tx.hash)) return { type: 'already_known' }
    const count = await chain.getTransactionCount(tx.from, 'latest')
    if (tx.nonce < count) return { type: 'nonce_too_low', message: 'nonce too low' }
    pool.set(tx.hash, tx)
    return { type: 'accepted' }
  }

  async function mine(): Promise<void> {
    chain.dropPool()
    const { baseFeePerGas } = await chain.getFeeMarket()
    const bag = kept.flatMap((pool) => [...pool.values()])
    const [from] = bag.map((tx) => tx.from)
    let nonce = from === undefined ? 0 : await chain.getTransactionCount(from, 'latest')
    for (;;) {
      const fit = bag.filter((tx) => tx.nonce === nonce && maxPricePerGas(tx.fees) >= (baseFeePerGas ?? 0n))
      const chosen = fit[dice(Math.max(1, fit.length))]
      if (chosen === undefined || (!isHonest && dice(6) === 0)) break
      const [outcome] = await take([chosen])
      if (outcome?.type !== 'accepted') break
      nonce++
    }
    chain.mine()
    for (const pool of kept) for (const tx of pool.values()) if (tx.nonce < nonce - 20) pool.delete(tx.hash)
  }

  Object.assign(chain, {
    broadcast: async (raws: Parameters<typeof take>[0]) =>
      await Promise.all(
        raws.map(async ({ raw }) => {
          const tx = decode(raw)
          return combineSendOutcomes(await Promise.all(kept.map((pool) => answer(pool, tx))))
        }),
      ),
  })
  return {
    makeHonest: () => {
      isHonest = true
    },
    mine,
  }
}
