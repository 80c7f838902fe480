/** What every fault test ends with: each intent once on the chain, and its way there was a straight one. */
import { keccak256 } from 'viem'
import { expect } from 'vitest'
import { type MinedTransaction, readAll, type StoredTransaction } from '../setup/cluster.ts'
import { type ExactlyOnceOptions, expectExactlyOnce } from '../setup/expect-exactly-once.ts'
import type { SeenTransaction, SingleNode } from './single-node.ts'

export interface Expectation extends Pick<ExactlyOnceOptions, 'reverted' | 'foreign'> {
  /** STUCK on the way is what the test is about. */
  readonly mayHaveBeenStuck?: boolean
}

/**
 * Each accepted intent is on the canonical chain once, and its final state says what the chain says; there is one set of
 * bytes for it, and no other bytes were ever sent; and on its way it was neither given up nor queued again.
 */
export async function expectUndisturbed(node: SingleNode, expected: Expectation = {}): Promise<void> {
  const { reverted = [], foreign = [] } = expected
  const all = (await readAll(node.drover())) as readonly (SeenTransaction & StoredTransaction)[]
  const mined = await expectExactlyOnce(node.chain, all, { accepted: node.accepted, reverted, foreign })
  for (const tx of all) {
    await expectChainAgrees(node, tx, mined, reverted.includes(tx.id))
    await expectCalmHistory(node, tx.id, expected.mayHaveBeenStuck ?? false)
  }
  await expectOneSetOfBytes(node, node.accepted)
}

async function expectChainAgrees(
  { chain }: SingleNode,
  tx: SeenTransaction,
  mined: readonly MinedTransaction[],
  isReverted: boolean,
): Promise<void> {
  const found = mined.find(({ hash }) => hash === tx.hash)
  expect(tx).toMatchObject({
    state: isReverted ? 'FAILED_FINAL' : 'CONFIRMED',
    nonce: found?.nonce,
    inclusion: { blockNumber: found?.blockNumber },
    hashes: [tx.hash],
  })
  const receipt = await chain.rpc<{ blockHash: string; status: string }>('eth_getTransactionReceipt', [tx.hash])
  expect(receipt).toMatchObject({ blockHash: tx.inclusion?.blockHash, status: isReverted ? '0x0' : '0x1' })
}

async function expectCalmHistory(node: SingleNode, id: string, mayHaveBeenStuck: boolean): Promise<void> {
  const events = await node.history(id)
  const states = events.flatMap(({ toState }) => (toState === null ? [] : [toState]))
  const runs = states.filter((state, index) => state !== states[index - 1])
  expect(runs.indexOf('ALLOCATED')).toBe(runs.lastIndexOf('ALLOCATED'))
  expect(runs.slice(runs.indexOf('ALLOCATED'))).not.toContain('QUEUED')
  // Inclusion and finality that are stored together are one step in the states, but still two happenings.
  const types = events.map(({ type }) => type)
  expect(types.indexOf('finality.reached')).toBeGreaterThan(types.indexOf('inclusion.seen'))
  expect(types).toContain('inclusion.seen')
  if (!mayHaveBeenStuck) expect(runs).not.toContain('STUCK')
}

async function expectOneSetOfBytes(node: SingleNode, ids: readonly string[]): Promise<void> {
  const attempts = await node.query<{ id: string; hash: string }>(
    `select tx_id::text as id, '0x' || encode(hash, 'hex') as hash from tx_attempt`,
  )
  expect(attempts.map(({ id }) => id).sort()).toEqual([...ids].sort())
  const known = new Set(attempts.map(({ hash }) => hash))
  for (const { method, params } of node.proxy.calls) {
    if (method === 'eth_sendRawTransaction') expect(known).toContain(keccak256(params[0] as `0x${string}`))
  }
}
