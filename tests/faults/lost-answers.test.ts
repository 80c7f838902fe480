/** The node takes the bytes and its answer is lost: nobody concludes that they were not sent. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { drop } from '../setup/rpc-reactions.ts'
import { expectUndisturbed } from './expect-undisturbed.ts'
import { PRESETS, type SingleNode, startSingleNode } from './single-node.ts'

const SEND = 'eth_sendRawTransaction'
const lost = drop({ forward: true })

describe.each(PRESETS)('%s: the answer is lost', (preset) => {
  let node: SingleNode

  beforeAll(async () => {
    node = await startSingleNode({ preset })
  })
  afterEach(() => node.proxy.reset())
  afterAll(() => node.close())

  const statesOf = async (id: string) => [...new Set((await node.history(id)).map(({ toState }) => toState))]
  /** Each kind once, in the order in which they first came: how often it was sent again depends on the machine. */
  const answersTo = async (id: string) => [
    ...new Set((await node.history(id)).filter(({ type }) => type === 'broadcast.answered').map(({ cause }) => cause)),
  ]

  test('to a first send and its repeats: ALLOCATED until a node confirms that it has the bytes', async () => {
    const heal = node.proxy.on(SEND, lost)
    const id = await node.send()
    await node.proxy.awaitCalls(SEND, 4)
    const { nonce } = await node.read(id)
    expect(await node.read(id)).toMatchObject({ state: 'ALLOCATED', error: null })
    expect(Number(await node.chain.rpc('eth_getTransactionCount', [node.sender.address, 'pending']))).toBe(nonce + 1)
    heal()
    await node.until(id, ({ state }) => state === 'TRACKING')
    const answers = await answersTo(id)
    expect(answers.at(-1)).toBe('already_known')
    expect(new Set(answers.slice(0, -1))).toEqual(new Set(['ambiguous']))
    await node.mineUntil([id], 'CONFIRMED')
    expect(await statesOf(id)).toEqual(['QUEUED', 'ALLOCATED', 'TRACKING', 'CONFIRMED'])
    await expectUndisturbed(node)
  })

  test('to every send, forever: the block shows it, and the lane continues', async () => {
    node.proxy.on(SEND, lost)
    const ids = [await node.send(), await node.send(), await node.send()]
    await node.mineUntil(ids, 'CONFIRMED')
    for (const id of ids) expect(await answersTo(id)).not.toContain('accepted')
    await expectUndisturbed(node)
  })

  test('to resends of accepted bytes: still TRACKING, mined once', async () => {
    const id = await node.send()
    await node.until(id, ({ state }) => state === 'TRACKING')
    node.proxy.on(SEND, lost)
    await node.proxy.awaitCalls(SEND, node.proxy.count(SEND) + 4)
    expect(await node.read(id)).toMatchObject({ state: 'TRACKING', error: null })
    await node.mineUntil([id], 'CONFIRMED')
    await expectUndisturbed(node)
  })

  test('to a send, and the process is killed: the next process sends the same bytes [G4]', async () => {
    const heal = node.proxy.on(SEND, lost)
    const ids = await node.sendTogether(5)
    await node.proxy.awaitCalls(SEND, 1)
    await node.stopService('SIGKILL')
    heal()
    await node.start()
    await node.mineUntil(ids, 'CONFIRMED')
    await expectUndisturbed(node)
  })

  if (preset === 'fast')
    test('to a whole batch, for the first send and for resends', async () => {
      const heal = node.proxy.on(SEND, lost)
      // As many as a lane sends ahead before it knows more.
      const ids = await node.sendTogether(16)
      await node.proxy.awaitCalls(SEND, 64)
      const [first] = node.proxy.requests.filter(([call]) => call?.method === SEND)
      expect(first?.filter(({ method }) => method === SEND).length).toBe(16)
      for (const id of ids) expect(await node.read(id)).toMatchObject({ state: 'ALLOCATED', error: null })
      heal()
      for (const id of ids) await node.until(id, ({ state }) => state === 'TRACKING')
      await node.mineUntil(ids, 'CONFIRMED')
      for (const id of ids) expect(await statesOf(id)).toEqual(['QUEUED', 'ALLOCATED', 'TRACKING', 'CONFIRMED'])
      await expectUndisturbed(node)
    })

  if (preset === 'stable')
    test('because it never arrives: times out, and is sent again', async () => {
      const held = node.proxy.hold(SEND, 'after')
      const id = await node.send()
      await held.arrived
      await node.until(id, ({ state }) => state === 'TRACKING')
      expect(await answersTo(id)).toEqual(['ambiguous', 'already_known'])
      await node.mineUntil([id], 'CONFIRMED')
      await expectUndisturbed(node)
    })
})
