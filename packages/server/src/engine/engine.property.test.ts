/**
 * The law of the whole engine, against everything that goes wrong at once: blocks, reorganisations, lost pools, lost
 * answers, a store that fails before or after a call, nodes that die, stop and come. Once the world is calm again, every
 * accepted intent is on the canonical chain exactly once, no nonce was left out or used twice, and what the store says
 * is what the chain holds. One seed replays one history.
 */
import { expect, test } from 'vitest'
import type { FakeFault } from '../testing/chain/fake-chain.ts'
import type { StoreFault } from '../testing/engine/faulty-store.ts'
import { createTestCluster, QUICK, type TestCluster, type TestNode } from '../testing/engine/test-cluster.ts'

const FINAL_AFTER = 6
const STEPS = 60

/** Mulberry32: small, and the same everywhere. */
function createDice(seed: number) {
  let state = seed >>> 0
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number) => Math.floor(fraction() * limit)
  const pick = <T>(items: readonly T[]): T => {
    const item = items[below(items.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }
  return { fraction, below, pick }
}

type Dice = ReturnType<typeof createDice>

interface World {
  readonly cluster: TestCluster
  readonly dice: Dice
  readonly ids: string[]
  readonly nodes: Map<string, TestNode>
  started: number
}

async function startNode(world: World): Promise<void> {
  const nodeId = `node-${world.started++}`
  world.nodes.set(nodeId, await world.cluster.startNode(nodeId))
}

function removeNode(world: World): TestNode | null {
  if (world.nodes.size === 0) return null
  const nodeId = world.dice.pick([...world.nodes.keys()])
  const node = world.nodes.get(nodeId) ?? null
  world.nodes.delete(nodeId)
  return node
}

async function submit({ cluster, dice, ids }: World): Promise<void> {
  for (let count = dice.below(3); count >= 0; count--) ids.push(await cluster.submit({}, dice.pick(cluster.lanes)))
}

function mine({ cluster, dice }: World): void {
  cluster.chain.mine(dice.fraction() < 0.5 ? () => true : () => dice.fraction() < 0.6)
}

function reorganise({ cluster, dice }: World): void {
  const depth = 1 + dice.below(FINAL_AFTER)
  cluster.chain.reorg(depth, { length: depth + dice.below(3), keep: dice.pick(['included', 'pooled', 'dropped']) })
}

function troubleChain({ cluster, dice }: World): void {
  const faults: readonly FakeFault[] = ['unavailable', 'answer_lost', 'rate_limited', 'stale', 'receipt_missing']
  const [fault, share] = [dice.pick(faults), dice.fraction()]
  const names = [
    'broadcast',
    'getBlock',
    'getInclusions',
    'findReceipts',
    'estimate',
    'getTransactionCount',
    'onHeadHint',
  ]
  const hit = new Set(names.filter(() => dice.fraction() < 0.4))
  cluster.chain.setFault(({ name }) => (hit.has(name) && dice.fraction() < share ? fault : null))
}

function troubleStore({ nodes, dice }: World): void {
  if (nodes.size === 0) return
  const [fault, share] = [dice.pick<StoreFault>(['unavailable', 'answer_lost']), dice.fraction()]
  dice.pick([...nodes.values()]).store.setFault(() => (dice.fraction() < share ? fault : null))
}

function calmDown({ cluster, nodes }: World): void {
  cluster.chain.setFault(null)
  for (const node of nodes.values()) node.store.setFault(null)
}

async function stopNode(world: World): Promise<void> {
  const node = removeNode(world)
  if (node === null) return
  const stopping = node.engine.stop()
  await world.cluster.clock.advance(30_000)
  await stopping
}

async function step(world: World): Promise<void> {
  const roll = world.dice.fraction()
  if (roll < 0.3) await submit(world)
  else if (roll < 0.55) mine(world)
  else if (roll < 0.58) world.cluster.chain.setBaseFee(world.dice.pick([1n, 5n, 40n]) * 10n ** 9n)
  else if (roll < 0.65) reorganise(world)
  else if (roll < 0.7) world.cluster.chain.dropPool()
  else if (roll < 0.78) troubleChain(world)
  else if (roll < 0.86) troubleStore(world)
  else if (roll < 0.92) calmDown(world)
  else if (roll < 0.95) removeNode(world)?.kill()
  else if (roll < 0.97) await stopNode(world)
  else if (world.nodes.size < 3) await startNode(world)
  await world.cluster.clock.advance(world.dice.pick([5, 50, 700, 6_000, 20_000]))
}

async function judge({ cluster, ids }: World): Promise<void> {
  const mined = await cluster.mined()
  const places = new Map(mined.map(({ hash }) => [hash, 0]))
  for (const { hash } of mined) places.set(hash, (places.get(hash) ?? 0) + 1)
  for (const id of ids) {
    const tx = await cluster.find(id)
    expect(tx.state, id).toBe('CONFIRMED')
    // Of all bytes that were ever signed for it, one set is on the chain, once.
    expect(tx.attempts.flatMap(({ hash }) => places.get(hash) ?? [])).toEqual([1])
    const inclusion = 'inclusion' in tx ? tx.inclusion : null
    const block = await cluster.chain.getBlock(inclusion?.blockNumber ?? -1)
    expect(block?.hash).toBe(inclusion?.blockHash)
  }
  for (const { signer } of cluster.lanes) {
    const nonces = mined.filter(({ from }) => from === signer).map(({ nonce }) => nonce)
    expect(nonces).toEqual(nonces.map((_, index) => index))
  }
  expect(mined).toHaveLength(ids.length)
}

/** With preconfirmations, a node may promise anything at any time, and keep it or not. */
async function live(seed: number, preconfirmations = false): Promise<void> {
  const cluster = await createTestCluster({
    signers: 3,
    policy: { ...QUICK, maxInFlight: 8, maxSubmitAttempts: 1_000, stuckAfterMs: 24 * 3_600_000 },
    chainSettings: { finality: { type: 'confirmations', count: FINAL_AFTER }, headerWindow: 10, preconfirmations },
  })
  const whims = createDice(seed + 1_000_000)
  const world: World = { cluster, dice: createDice(seed), ids: [], nodes: new Map(), started: 0 }
  await cluster.mine(FINAL_AFTER)
  await startNode(world)
  await startNode(world)
  for (let count = 0; count < STEPS; count++) {
    if (preconfirmations && whims.fraction() < 0.4) cluster.chain.preconfirm(() => whims.fraction() < 0.8)
    await step(world)
  }
  calmDown(world)
  if (world.nodes.size === 0) await startNode(world)
  for (let round = 0; round < 40; round++) {
    await cluster.clock.advance(10_000)
    await cluster.mine()
  }
  await judge(world)
}

const SEEDS = Array.from({ length: Number(process.env.ENGINE_SEEDS ?? 15) }, (_, index) => index + 1)

test.each(SEEDS)('seed %i: every intent is on the chain exactly once and the store agrees [G3]', async (seed) => {
  await live(seed)
})

test.each(SEEDS)('seed %i, with promises that are kept or not: the same [G3]', async (seed) => {
  await live(seed, true)
})
