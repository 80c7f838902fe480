/**
 * The check at the end of every test with many transactions: each intent is on chain once, and the stored state agrees.
 */
import { expect } from 'vitest'
import type { TestChain } from './anvil.ts'
import { type MinedTransaction, readChain, type StoredTransaction } from './cluster.ts'

export interface ExactlyOnceOptions {
  /** The ids that were returned; default: the stored ones. */
  readonly accepted?: readonly string[]
  /** Ids of transactions that reverted on chain; all others succeeded. */
  readonly reverted?: readonly string[]
  /** Hashes that others sent with the same keys. */
  readonly foreign?: readonly string[]
  /** Empty transactions that used a nonce in place of an intent. */
  readonly fills?: number
}

/**
 * Reads block by block: every stored transaction is on the canonical chain once, with its stored nonce. There is
 * nothing else of its signers, and each signer has used all nonces from 0 in order. Returns what it read.
 */
export async function expectExactlyOnce(
  chain: Pick<TestChain, 'rpc'>,
  stored: readonly StoredTransaction[],
  options: ExactlyOnceOptions = {},
): Promise<readonly MinedTransaction[]> {
  const { accepted = stored.map(({ id }) => id), reverted = [], foreign = [], fills = 0 } = options
  expect(new Set(accepted).size).toBe(accepted.length)
  expect(stored.map(({ id }) => id).sort()).toEqual([...accepted].sort())
  const expectedState = ({ id }: StoredTransaction) => (reverted.includes(id) ? 'FAILED_FINAL' : 'CONFIRMED')
  expect(stored.filter((tx) => tx.state !== expectedState(tx))).toEqual([])
  const signers = new Set(stored.map(({ from }) => from.toLowerCase()))
  const mined = (await readChain(chain)).filter(({ from }) => signers.has(from))
  const known = new Set([...stored.map(({ hash }) => hash), ...foreign])
  expect(known.size).toBe(stored.length + foreign.length)
  expect(
    mined
      .map(({ hash }) => hash)
      .filter((hash) => known.has(hash))
      .sort(),
  ).toEqual([...known].sort())
  expect(mined).toHaveLength(known.size + fills)
  const byHash = new Map(mined.map((tx) => [tx.hash, tx]))
  for (const tx of stored) expect(byHash.get(tx.hash)).toMatchObject({ from: tx.from.toLowerCase(), nonce: tx.nonce })
  for (const signer of signers) {
    const nonces = mined.filter(({ from }) => from === signer).map(({ nonce }) => nonce)
    expect(nonces).toEqual(nonces.map((_, index) => index))
  }
  return mined
}
