/** Somebody else uses the key: what can be proved is said, and nothing is executed twice. */
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { drop } from '../setup/rpc-reactions.ts'
import { expectExactlyOnce } from './expect-exactly-once.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'

let node: SingleNode

afterEach(() => node.close())

/** Straight to the chain, past the proxy. */
async function sendForeign(nonce: number): Promise<string> {
  const raw = await privateKeyToAccount(node.sender.privateKey).signTransaction({
    ...{
      chainId: Number(await node.chain.rpc('eth_chainId')),
      nonce,
      gas: 21_000n,
      to: developmentAccount(8).address,
      value: 5n,
    },
    ...{ maxFeePerGas: 50_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n },
  })
  return await node.chain.rpc<string>(SEND, [raw])
}

/** A transaction of ours whose bytes no node gets, and a foreign one that takes its nonce. */
async function loseNonce(): Promise<{ readonly id: string; readonly foreign: string }> {
  const heal = node.proxy.on(SEND, drop({ forward: false }))
  const id = await node.send()
  const { nonce } = await node.until(id, ({ state }) => state === 'ALLOCATED')
  const foreign = await sendForeign(nonce)
  await node.chain.mine(1)
  heal()
  return { id, foreign }
}

describe('stable: a foreign transaction took the nonce', () => {
  test('STUCK with its cause after the evidence is as deep as finality; resolved by an operator, the lane goes on', async () => {
    node = await startSingleNode({ preset: 'stable', env: { DROVER_FINALITY: '4' } })
    await node.mineUntil([await node.send()], 'CONFIRMED')
    const { id, foreign } = await loseNonce()
    const next = await node.send()
    // The node says "nonce too low": that alone is no proof.
    await node.until(id, ({ state }) => state === 'TRACKING')
    await node.chain.mine(2)
    expect((await node.read(id)).state).toBe('TRACKING')
    await node.mineUntil([id], 'STUCK')
    expect(await node.read(id)).toMatchObject({ subState: 'foreign_nonce', error: { code: 'foreign_nonce' }, nonce: 1 })
    expect((await node.history(id)).find(({ type }) => type === 'stuck.declared')).toMatchObject({
      cause: 'foreign_nonce',
    })
    await eventually(
      () => node.metric('drover_alarms_total', 'cause="foreign_nonce"'),
      (alarms) => alarms === 1,
    )
    expect(node.drover().output()).toMatch(
      /a transaction is stuck.*foreign_nonce|foreign_nonce.*a transaction is stuck/,
    )
    expect((await node.drover().get(`/v1/transactions/${id}/explain`)).body).toMatchObject({ cause: 'foreign_nonce' })
    expect(await node.read(next)).toMatchObject({ state: 'QUEUED', nonce: null })

    // It keeps its nonce and is still watched: nothing moves without an operator.
    await node.chain.mine(6)
    expect((await node.read(id)).state).toBe('STUCK')
    const wrong = await node.drover().post(`/v1/transactions/${id}/resolve`, {
      reason: 'not the one',
      hash: (await node.read(node.accepted[0] ?? '')).hash,
    })
    expect(wrong).toMatchObject({ status: 409, body: { code: 'action_forbidden' } })
    const right = await node.drover().post(`/v1/transactions/${id}/resolve`, { reason: 'paid by hand', hash: foreign })
    expect(right).toMatchObject({ status: 200, body: { state: 'CONFIRMED', subState: 'resolved', nonce: 1 } })
    await node.mineUntil([next], 'CONFIRMED')
    expect(await node.read(next)).toMatchObject({ nonce: 2 })
    const resolved = (await node.history(id)).at(-1)
    expect(resolved).toMatchObject({ type: 'operator.resolved', detail: { reason: 'paid by hand', hash: foreign } })
    const count = await node.chain.rpc<string>('eth_getTransactionCount', [node.sender.address, 'latest'])
    expect(Number(count)).toBe(3)
  })

  test('in a block that then leaves the chain: ours is mined after all', async () => {
    node = await startSingleNode({ preset: 'stable', env: { DROVER_FINALITY: '4' } })
    const { id } = await loseNonce()
    await node.until(id, ({ state }) => state === 'TRACKING')
    await node.chain.mine(1)
    await node.chain.reorg(2)
    await node.mineUntil([id], 'CONFIRMED')
    await expectExactlyOnce(node)
  })

  test('after ours was mined and reorganised away: STUCK with the same cause', async () => {
    node = await startSingleNode({ preset: 'stable', env: { DROVER_FINALITY: '4' } })
    const id = await node.send()
    await node.until(id, ({ state }) => state === 'TRACKING')
    await node.chain.mine(1)
    await node.until(id, ({ inclusion }) => inclusion !== null)
    node.proxy.on(SEND, drop({ forward: false }))
    await node.chain.reorg(1)
    await node.until(id, ({ subState }) => subState === 'reorged')
    await sendForeign(0)
    await node.mineUntil([id], 'STUCK')
    expect(await node.read(id)).toMatchObject({ subState: 'foreign_nonce', nonce: 0 })
  })
})

describe('fast: a foreign transaction took the nonce', () => {
  test('queued again at its place and executed once, under the next nonce', async () => {
    node = await startSingleNode({ preset: 'fast', env: { DROVER_FINALITY: '3' } })
    const { id, foreign } = await loseNonce()
    await node.mineUntil([id], 'CONFIRMED')
    const tx = await node.read(id)
    expect(tx).toMatchObject({ nonce: 1 })
    expect((await node.history(id)).map(({ type }) => type)).toContain('nonce.lost')
    await eventually(
      async () => Number(await node.chain.rpc<string>('eth_getTransactionCount', [node.sender.address, 'latest'])),
      (count) => count === 2,
    )
    expect(tx.hashes.length).toBe(2)
    expect(tx.hashes).not.toContain(foreign)
    expect(tx.hash).toBe(tx.hashes[1])
  })
})
