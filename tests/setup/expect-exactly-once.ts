/** What every test of many transactions ends with: each intent once on the chain, and what is stored agrees with it. */
import { expect } from 'vitest'
import type { TestChain } from './anvil.ts'
import { type MinedTransaction, readChain, type StoredTransaction } from './cluster.ts'

export interface ExactlyOnceOptions {
  /** The ids that were answered; default: those that are stored. */
  readonly accepted?: readonly string[]
  /** Ids of those that reverted on chain; all others succeeded. */
  readonly reverted?: readonly string[]
  /** Hashes that somebody else sent with the same keys. */
  readonly foreign?: readonly string[]
  /** Empty transactions that took a nonce in the place of an intent. */
  readonly fills?: number
}

/**
 * Read block by block: every stored transaction is on the canonical chain once, under the nonce that is stored; nothing
 * else of its signers is there; and the nonces of each signer are all used, from 0 on and in order. Answers what it read.
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
