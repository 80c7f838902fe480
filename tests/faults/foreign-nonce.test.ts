/** Somebody else uses the key: what can be proved is said, and nothing is executed twice. */
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { answer, drop } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'

let node: SingleNode

afterEach(() => node.close())

interface Foreign {
  readonly to: `0x${string}`
  readonly value: bigint
  readonly gas?: bigint
}

const OTHER: Foreign = { to: developmentAccount(8).address, value: 5n }
/** What `node.send()` asks for. */
const SAME: Foreign = { to: developmentAccount(9).address, value: 1n }

/** Straight to the chain, past the proxy. */
async function sendForeign(nonce: number, { gas = 21_000n, ...call }: Foreign = OTHER): Promise<string> {
  const chainId = Number(await node.chain.rpc('eth_chainId'))
  const fees = { maxFeePerGas: 50_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n }
  const account = privateKeyToAccount(node.sender.privateKey)
  const raw = await account.signTransaction({ chainId, nonce, gas, ...call, ...fees })
  return await node.chain.rpc<string>(SEND, [raw])
}

interface Loss {
  readonly foreign?: Foreign
  readonly intent?: Record<string, unknown>
}

/** A transaction of ours whose bytes no node gets, and a foreign one that takes its nonce. */
async function loseNonce({ foreign: call = OTHER, intent = {} }: Loss = {}) {
  const heal = node.proxy.on(SEND, drop({ forward: false }))
  const id = await node.send(intent)
  const { nonce } = await node.until(id, ({ state }) => state === 'ALLOCATED')
  const foreign = await sendForeign(nonce, call)
  // Clearly after the request: what was mined before it cannot be what it asks for.
  await node.chain.rpc('evm_setNextBlockTimestamp', [Math.ceil(Date.now() / 1_000) + 1])
  await node.chain.mine(1)
  heal()
  return { id, foreign }
}

const act = (id: string, action: string, body: Record<string, unknown> = {}) =>
  node.drover().post(`/v1/transactions/${id}/${action}`, { reason: 'looked at it', ...body })

const countOf = async (address: string) =>
  Number(await node.chain.rpc<string>('eth_getTransactionCount', [address, 'latest']))

const optionsOf = async (id: string): Promise<readonly string[]> => {
  const { body } = await node.drover().get(`/v1/transactions/${id}/explain`)
  return body.options.map(({ action }: { action: string }) => action)
}

describe('stable: a foreign transaction used the nonce', () => {
  test('another effect: STUCK once the foreign one is final; it can be requeued or closed, not resolved', async () => {
    node = await startSingleNode({ preset: 'stable', env: { DROVER_FINALITY: '4' } })
    await node.mineUntil([await node.send()], 'CONFIRMED')
    const { id, foreign } = await loseNonce()
    const next = await node.send()
    // The node says "nonce too low": that alone is no proof.
    await node.until(id, ({ state }) => state === 'TRACKING')
    // It is named all the same, long before it is final and without another block.
    const early = await eventually(
      async () => (await node.drover().get(`/v1/transactions/${id}/explain`)).body,
      ({ cause }) => cause === 'foreign_nonce',
    )
    expect(early).toMatchObject({
      summary: expect.stringContaining('The chain counts nonce 1 as used'),
      advice: expect.stringContaining('Find out who else uses this key'),
    })
    expect(await optionsOf(id)).toEqual(['suspend', 'cancel'])
    const { body: lanes } = await node.drover().get('/v1/signers')
    expect(lanes.items[0].problems).toMatchObject([{ code: 'foreign_nonce', transactionId: id }])
    expect((await node.drover().get('/readyz')).body.status).toBe('degraded')
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
    const { body: explained } = await node.drover().get(`/v1/transactions/${id}/explain`)
    expect(explained).toMatchObject({ cause: 'foreign_nonce', nextAction: expect.stringMatching(/requeue.*or close/) })
    expect(explained.summary).toContain(foreign)
    expect(await optionsOf(id)).toEqual(['requeue', 'close'])
    expect(await node.read(next)).toMatchObject({ state: 'QUEUED', nonce: null })

    // It keeps its nonce: nothing moves without an operator, and nobody can call it paid.
    await node.chain.mine(6)
    expect((await node.read(id)).state).toBe('STUCK')
    const wrong = await act(id, 'resolve', { hash: (await node.read(node.accepted[0] ?? '')).hash })
    expect(wrong).toMatchObject({ status: 409, body: { code: 'action_forbidden' } })
    for (const named of [{ hash: foreign }, {}]) {
      expect(await act(id, 'resolve', named)).toMatchObject({
        status: 409,
        body: { code: 'action_forbidden', detail: expect.stringContaining('Requeue or close it') },
      })
    }
    expect(await act(id, 'retry')).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('cannot work') },
    })
    expect((await node.read(id)).state).toBe('STUCK')

    expect(await act(id, 'requeue')).toMatchObject({ status: 200, body: { state: 'QUEUED' } })
    await node.mineUntil([id, next], 'CONFIRMED')
    expect((await node.read(id)).nonce).toBe(2)
    expect((await node.read(next)).nonce).toBe(3)
    expect((await node.history(id)).find(({ type }) => type === 'operator.requeued')).toMatchObject({
      detail: { reason: 'looked at it', hash: foreign, nonce: 1 },
    })
    expect(await countOf(node.sender.address)).toBe(4)
  })

  test('another effect, closed: CANCELLED as replaced, and the lane continues', async () => {
    node = await startSingleNode({ preset: 'stable' })
    const { id, foreign } = await loseNonce()
    const next = await node.send()
    await node.mineUntil([id], 'STUCK')
    const closed = await act(id, 'close')
    expect(closed).toMatchObject({ status: 200, body: { state: 'CANCELLED', subState: 'replaced', nonce: null } })
    expect(closed.body.error).toMatchObject({ code: 'replaced', message: expect.stringContaining(foreign) })
    await node.mineUntil([next], 'CONFIRMED')
    expect(await countOf(node.sender.address)).toBe(2)
  })

  test('the same effect: CONFIRMED with its hash, without an operator, and paid once [G3]', async () => {
    node = await startSingleNode({ preset: 'stable' })
    const before = BigInt(await node.chain.rpc<string>('eth_getBalance', [SAME.to, 'latest']))
    const { id, foreign } = await loseNonce({ foreign: SAME })
    await node.mineUntil([id], 'CONFIRMED', 'STUCK')
    expect(await node.read(id)).toMatchObject({
      state: 'CONFIRMED',
      subState: 'final',
      hash: foreign,
      hashes: [expect.any(String), foreign],
      receipt: { status: 'success', transactionHash: foreign },
    })
    expect((await node.history(id)).at(-1)).toMatchObject({ type: 'finality.reached', detail: { hash: foreign } })
    expect((await node.drover().get(`/v1/transactions/${id}/explain`)).body.summary).toContain(foreign)
    expect(BigInt(await node.chain.rpc<string>('eth_getBalance', [SAME.to, 'latest']))).toBe(before + SAME.value)
  })

  test('the same effect, reverted: FAILED_FINAL with its hash', async () => {
    node = await startSingleNode({ preset: 'stable' })
    const to = `0x${'ee'.repeat(20)}` as const
    // Reverts whatever it is asked.
    await node.chain.setCode(to, '0x60006000fd')
    const intent = { to, value: '0', gasLimit: '100000', simulate: false }
    const { id, foreign } = await loseNonce({ foreign: { to, value: 0n, gas: 100_000n }, intent })
    await node.mineUntil([id], 'FAILED_FINAL', 'STUCK', 'CONFIRMED')
    expect(await node.read(id)).toMatchObject({ state: 'FAILED_FINAL', error: { code: 'reverted' } })
    expect((await node.history(id)).at(-1)).toMatchObject({ detail: { hash: foreign } })
  })

  test('a stale first nonce count is no foreign nonce: it takes the next nonce by itself', async () => {
    const hourAgo = Math.floor(Date.now() / 1_000) - 3_600
    node = await startSingleNode({ preset: 'stable', chainArgs: ['--timestamp', `${hourAgo}`] })
    // The same payment as is asked for later: it must not be taken for it.
    await sendForeign(0, SAME)
    await sendForeign(1, OTHER)
    await node.chain.mine(1)
    await node.chain.rpc('evm_setNextBlockTimestamp', [hourAgo + 3_600])
    await node.chain.mine(1)
    const heal = node.proxy.on('eth_getTransactionCount', answer('0x0'))
    const id = await node.send()
    expect(await node.until(id, ({ nonce }) => nonce !== null)).toMatchObject({ nonce: 0 })
    heal()
    await node.mineUntil([id], 'CONFIRMED', 'STUCK')
    expect(await node.read(id)).toMatchObject({ state: 'CONFIRMED', nonce: 2 })
    const history = await node.history(id)
    expect(history.filter(({ type }) => type === 'nonce.lost')).toMatchObject([{ cause: 'stale_count' }])
    expect(history.map(({ type }) => type)).not.toContain('stuck.declared')
    expect(await countOf(node.sender.address)).toBe(3)
  })

  test('reorged away: ours is mined after all', async () => {
    node = await startSingleNode({ preset: 'stable', env: { DROVER_FINALITY: '4' } })
    const { id } = await loseNonce()
    await node.until(id, ({ state }) => state === 'TRACKING')
    await node.chain.mine(1)
    await node.chain.reorg(2)
    await node.mineUntil([id], 'CONFIRMED')
    await expectUndisturbed(node)
  })

  test('after ours was mined and reorged away: STUCK with the same cause', async () => {
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

describe('fast: a foreign transaction used the nonce', () => {
  test('requeued at its old position and executed once, with the next nonce [G3]', async () => {
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
