/** What every fault test ends with: each intent once on the chain, and everything that is stored agrees with it. */
import { keccak256 } from 'viem'
import { expect } from 'vitest'
import { type MinedTransaction, readAll, readChain } from '../setup/cluster.ts'
import type { SeenTransaction, SingleNode } from './single-node.ts'

export interface Expectation {
  /** These reverted on chain; all others succeeded. */
  readonly reverted?: readonly string[]
  /** Hashes that somebody else sent with the same key. */
  readonly foreign?: readonly string[]
  /** STUCK on the way is what the test is about. */
  readonly mayHaveBeenStuck?: boolean
}

/**
 * Each accepted intent is on the canonical chain once, read block by block; its final state says what the chain says; there is
 * one set of bytes for it, and no other bytes were ever sent; and on its way it was neither given up nor queued again.
 */
export async function expectExactlyOnce(node: SingleNode, expected: Expectation = {}): Promise<void> {
  const { reverted = [], foreign = [] } = expected
  const ids = node.accepted
  const all = (await readAll(node.drover())) as unknown as readonly SeenTransaction[]
  const from = node.sender.address.toLowerCase()
  const sent = (await readChain(node.chain)).filter((tx) => tx.from === from)
  expect(all.map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(sent.map(({ nonce }) => nonce)).toEqual(sent.map((_, index) => index))
  expect(sent.map(({ hash }) => hash).sort()).toEqual([...all.map(({ hash }) => hash), ...foreign].sort())
  for (const tx of all) {
    await expectChainAgrees(node, tx, sent, reverted.includes(tx.id))
    await expectCalmHistory(node, tx.id, expected.mayHaveBeenStuck ?? false)
  }
  await expectOneSetOfBytes(node, ids)
}

async function expectChainAgrees(
  { chain }: SingleNode,
  tx: SeenTransaction,
  sent: readonly MinedTransaction[],
  isReverted: boolean,
): Promise<void> {
  const mined = sent.find(({ hash }) => hash === tx.hash)
  expect(tx).toMatchObject({
    state: isReverted ? 'FAILED_FINAL' : 'CONFIRMED',
    nonce: mined?.nonce,
    inclusion: { blockNumber: mined?.blockNumber },
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
