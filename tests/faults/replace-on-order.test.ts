/** Sent transactions and other bytes in their place: only when ordered, and only if they can still succeed and be paid for. */
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const GWEI = 10n ** 9n
const TARGET = `0x${'ee'.repeat(20)}`
const REVERTS = '0x60006000fd'

let node: SingleNode

afterEach(() => node.close())

const act = (id: string, action: string) =>
  node.drover().post(`/v1/transactions/${id}/${action}`, { reason: 'looked at it' })

const setPolicy = (policy: Record<string, unknown>) =>
  node.drover().request('PATCH', `/v1/signers/${node.sender.address}`, { policy })

const kindsOf = async (id: string): Promise<readonly string[]> => {
  const { body } = await node.drover().get(`/v1/transactions/${id}/attempts`)
  return body.items.map(({ kind }: { kind: string }) => kind)
}

const noted = (id: string, type: string, cause?: string) =>
  eventually(
    () => node.history(id),
    (history) => history.some((entry) => entry.type === type && (cause === undefined || entry.cause === cause)),
  )

/** In a pool at a price that the next blocks do not take. */
async function sendTooCheap(intent: Record<string, unknown> = {}): Promise<string> {
  const id = await node.send(intent)
  await node.until(id, ({ state }) => state === 'TRACKING')
  await node.chain.setNextBlockBaseFee(200n * GWEI)
  await node.chain.mine(1)
  return id
}

describe('stable', () => {
  test('nothing is replaced automatically; a speed-up is carried out once', async () => {
    node = await startSingleNode({ preset: 'stable', env: { DROVER_STUCK_AFTER: '3s' } })
    const id = await sendTooCheap()
    await node.until(id, ({ state }) => state === 'STUCK')
    expect(await kindsOf(id)).toEqual(['original'])
    expect(await act(id, 'speed-up')).toMatchObject({ status: 200 })
    await noted(id, 'attempt.added', 'bump')
    await node.mineUntil([id], 'CONFIRMED')
    expect(await kindsOf(id)).toEqual(['original', 'bump'])

    // `never` means never, and the old words are still understood.
    expect((await setPolicy({ mayReplace: false })).body.policy.mayReplace).toBe('never')
    const other = await node.send()
    await node.until(other, ({ state }) => state === 'TRACKING')
    for (const action of ['cancel', 'speed-up']) {
      expect(await act(other, action)).toMatchObject({
        status: 409,
        body: { detail: expect.stringContaining('never') },
      })
    }
    const reset = `/v1/signers/${node.sender.address}/reset-nonce`
    expect(await node.drover().post(reset, { reason: 'x', cancelInFlight: true })).toMatchObject({
      status: 409,
      body: { code: 'action_forbidden', detail: expect.stringContaining('mayReplace: never') },
    })
    expect((await setPolicy({ mayReplace: true })).body.policy.mayReplace).toBe('automatic')
  })
})

describe('fast: a bump', () => {
  test('is not signed while the call would revert or lacks funds, and explain says why; then it is', async () => {
    node = await startSingleNode({ preset: 'fast' })
    await setPolicy({ bumpAfterMs: 500 })
    const id = await node.send({ to: TARGET, gasLimit: '100000' })
    await node.until(id, ({ state }) => state === 'TRACKING')
    await node.chain.setCode(TARGET, REVERTS)
    await node.chain.setNextBlockBaseFee(200n * GWEI)
    await node.chain.mine(1)
    await noted(id, 'bump.refused', 'bump_would_revert')
    const explained = await node.drover().get(`/v1/transactions/${id}/explain`)
    expect(explained.body).toMatchObject({
      cause: 'bump_refused',
      summary: expect.stringContaining('would now revert'),
    })
    // An operator's order changes nothing about that.
    expect(await act(id, 'speed-up')).toMatchObject({ status: 200 })
    await eventually(
      () => node.history(id),
      (history) => history.filter(({ type }) => type === 'bump.refused').length >= 2,
    )
    expect(await kindsOf(id)).toEqual(['original'])

    await node.chain.setCode(TARGET, '0x')
    await node.chain.setBalance(node.sender.address, 10n ** 15n)
    await node.chain.setNextBlockBaseFee(200n * GWEI)
    await node.chain.mine(1)
    await noted(id, 'bump.refused', 'bump_unaffordable')
    expect(await kindsOf(id)).toEqual(['original'])

    await node.chain.setBalance(node.sender.address, 10n ** 18n)
    await node.mineUntil([id], 'CONFIRMED')
  })
})
