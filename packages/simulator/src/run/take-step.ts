/** Applies one step of a plan to the world, and describes what it did. */
import { OPERATOR_ACTIONS } from '../../../server/src/core/transaction/allowed-actions.ts'
import { isInFlight } from '../../../server/src/core/transaction/transaction.ts'
import { findMemoryTransaction } from '../../../server/src/testing/store/memory-state.ts'
import { type EndpointMood, GOOD_MOOD } from '../chain/endpoint-mood.ts'
import { type Chance, createChance } from '../chance.ts'
import { GOOD_RECEIVER } from '../cluster/receiver.ts'
import { GWEI, POLICIES } from '../cluster/setup.ts'
import type { LiveNode, World } from '../cluster/world.ts'
import type { Step } from '../plan/plan.ts'
import { GOOD_STORE, type StoreMood } from '../store/node-store.ts'
import type { Actors } from './actors.ts'

export interface Scene {
  readonly world: World
  readonly actors: Actors
}

type TakeStep = (scene: Scene, chance: Chance) => string | Promise<string>

export async function takeStep(scene: Scene, { index, kind }: Step): Promise<string> {
  return await STEPS[kind](scene, createChance(`step ${scene.world.plan.seed} ${index}`))
}

const BY = { actor: 'ann', reason: 'simulated' }
const MAX_NODES = 4

function anyNode({ world }: Scene, chance: Chance): LiveNode | null {
  return world.nodes.size === 0 ? null : chance.pick([...world.nodes.values()])
}

/** A mood of a store for one node, with the share of calls that it hits. */
function troubleStore(name: string, mood: (share: number, chance: Chance) => Partial<StoreMood>): TakeStep {
  return (scene, chance) => {
    const node = anyNode(scene, chance)
    if (node === null) return `${name}: nobody runs`
    node.way.mood = { ...GOOD_STORE, ...mood(0.05 + chance.fraction() * 0.6, chance) }
    node.way.chance = createChance(`${scene.world.plan.seed} ${chance.below(1e9)}`)
    return `${name} at ${node.nodeId}`
  }
}

function troubleEndpoint(name: string, mood: (share: number, chance: Chance) => Partial<EndpointMood>): TakeStep {
  return ({ world }, chance) => {
    const index = chance.below(world.endpoints.length)
    const endpoint = world.endpoints[index]
    if (endpoint === undefined) throw new Error('there is an RPC node')
    // Only one at a time lies about prices: more would be the market.
    if (name === 'rpc-price') for (const other of world.endpoints) other.mood = { ...other.mood, priceFactor: 1 }
    endpoint.mood = { ...endpoint.mood, ...mood(0.1 + chance.fraction() * 0.9, chance) }
    endpoint.chance = createChance(`${world.plan.seed} ${chance.below(1e9)}`)
    return `${name} at rpc-${index}`
  }
}

function calm({ world }: Scene): string {
  for (const node of world.nodes.values()) {
    node.way.mood = GOOD_STORE
    node.way.isCut = false
    node.cutFrom.clear()
  }
  for (const endpoint of world.endpoints) {
    endpoint.mood = GOOD_MOOD
    world.network.catchUp(endpoint.view)
  }
  world.receiver.mood = GOOD_RECEIVER
  return 'calm'
}

export function calmDown(scene: Scene): void {
  calm(scene)
  scene.world.outageUntil = Number.NEGATIVE_INFINITY
  scene.world.network.setBaseFee(GWEI)
}

const STEPS: Readonly<Record<Step['kind'], TakeStep>> = {
  submit: ({ actors }, chance) => (chance.hits(0.1) ? actors.repeat(chance) : actors.submit(chance)),
  mine: ({ world }, chance) => {
    const isHalf = world.plan.faults.has('half-blocks') && chance.hits(0.3)
    const block = world.network.mine(isHalf ? { take: () => chance.hits(0.5) } : {})
    return `block ${block.number} ${block.hash.slice(0, 10)} with ${block.transactions.length}`
  },
  batch: ({ actors }, chance) => actors.submitBatch(chance),
  wait: () => 'wait',
  operate: ({ world, actors }, chance) => {
    const node = anyNode({ world, actors }, chance)
    if (node === null || actors.ids.length === 0) return 'operate: nothing to do'
    // Mostly transactions that are still open.
    const recent = actors.ids.slice(-12)
    const id = chance.pick(chance.hits(0.8) ? recent : actors.ids)
    const action = chance.pick([...OPERATOR_ACTIONS, 'cancel', 'speed-up', 'resume'] as const)
    world.watcher.guard(node.operate(id, { ...BY, action }), `operate ${action}`)
    return `${action} ${id.slice(-4)} at ${node.nodeId}`
  },
  reserve: ({ actors }, chance) => actors.reserve(chance),
  hold: ({ actors }, chance) => actors.hold(chance),
  'take-back': (scene, chance) => {
    const node = anyNode(scene, chance)
    if (node === null) return 'take-back: nobody runs'
    const [lane, action] = [chance.pick(scene.world.lanes), chance.pick(['release', 'fill'] as const)]
    scene.world.watcher.guard(node.takeBack(lane, { action, filter: {}, by: BY }), 'take back')
    return `take back the nonces of ${lane.signer.slice(0, 4)}: ${action}`
  },
  pause: async ({ world }, chance) => {
    const lane = chance.pick(world.lanes)
    const paused = chance.hits(0.4)
    await world.store.updateSigner(lane, { paused }, { type: 'signer.changed', cause: 'operator', detail: BY })
    return `${paused ? 'pause' : 'resume'} ${lane.signer.slice(0, 4)}`
  },
  policy: async ({ world }, chance) => {
    const [lane, policy] = [chance.pick(world.lanes), chance.pick(POLICIES)]
    await world.store.updateSigner(lane, { policy }, { type: 'signer.changed', cause: 'operator', detail: BY })
    return `policy of ${lane.signer.slice(0, 4)}: ${policy.preset}, ${policy.maxInFlight} in flight`
  },
  reset: (scene, chance) => {
    const node = anyNode(scene, chance)
    if (node === null) return 'reset: nobody runs'
    const [lane, cancelsFirst] = [chance.pick(scene.world.lanes), chance.hits(0.6)]
    scene.world.watcher.guard(node.resets.reset(lane, BY, { cancelsFirst }), 'reset')
    return `${cancelsFirst ? 'cancel all and ' : ''}reset the nonce of ${lane.signer.slice(0, 4)}`
  },
  'fill-gap': (scene, chance) => {
    const node = anyNode(scene, chance)
    if (node === null) return 'fill-gap: nobody runs'
    const lane = chance.pick(scene.world.lanes)
    scene.world.watcher.guard(node.fillGaps(lane, BY), 'fill gaps')
    return `fill the gaps of ${lane.signer.slice(0, 4)}`
  },
  start: async ({ world, actors }, chance) => {
    if (chance.hits(0.4)) return actors.follow(chance)
    if (world.nodes.size >= MAX_NODES - 1) return 'start: enough nodes run'
    await world.startNode()
    return `start ${[...world.nodes.keys()].at(-1)}`
  },
  calm,
  kill: (scene, chance) => {
    const node = anyNode(scene, chance)
    if (node === null) return 'kill: nobody runs'
    node.process.kill()
    scene.world.nodes.delete(node.nodeId)
    return `kill ${node.nodeId}`
  },
  stop: (scene, chance) => {
    const node = anyNode(scene, chance)
    if (node === null || scene.world.nodes.size === 1) return 'stop: the last one stays'
    scene.world.nodes.delete(node.nodeId)
    scene.world.watcher.guard(node.stop(), 'stop')
    return `stop ${node.nodeId}`
  },
  freeze: (scene, chance) => {
    const node = anyNode(scene, chance)
    if (node === null) return 'freeze: nobody runs'
    const ms = chance.pick([2_000, 8_000, 14_000, 20_000, 40_000])
    node.process.freeze(ms)
    return `freeze ${node.nodeId} for ${ms} ms`
  },
  'db-cut': (scene, chance) => {
    const node = anyNode(scene, chance)
    if (node === null) return 'db-cut: nobody runs'
    node.way.isCut = true
    return `cut ${node.nodeId} from the database`
  },
  'db-failover': ({ world }, chance) => {
    const ms = 500 + chance.below(12_000)
    world.outageUntil = world.timeline.now() + ms
    world.timeline.at(world.outageUntil, () => {
      for (const listener of [...world.state.listeners]) listener({ type: 'gap' })
    })
    return `the database is away for ${ms} ms`
  },
  'db-commit-fails': troubleStore('db-commit-fails', (unreached) => ({ unreached })),
  'db-answer-lost': troubleStore('db-answer-lost', (answerLost) => ({ answerLost })),
  'db-late': troubleStore('db-late', (share, chance) => ({ late: share / 2, maxStallMs: 200 + chance.below(9_000) })),
  'db-stall': troubleStore('db-stall', (stalled, chance) => ({ stalled, maxStallMs: 20 + chance.below(6_000) })),
  'notice-lost': troubleStore('notice-lost', (noticeLost) => ({ noticeLost })),
  reorg: ({ world }, chance) => {
    const depth = 1 + chance.below(world.setup.safeDepth - 1)
    const keep = chance.pick(['included', 'pooled', 'dropped'] as const)
    world.network.reorg(depth, depth + chance.below(2), keep)
    return `reorg ${depth}, ${keep}`
  },
  'deep-reorg': ({ world }, chance) => {
    const depth = world.setup.safeDepth + chance.below(4)
    world.network.reorg(depth, depth + 1, 'included')
    return `reorg ${depth}, past what is final`
  },
  eviction: ({ world }, chance) => {
    const views = chance.hits(0.5) ? world.network.views : [chance.pick(world.network.views)]
    for (const { pool } of views) pool.clear()
    return `${views.length} mempools lose their transactions`
  },
  'base-fee': ({ world }, chance) => {
    const gwei = chance.pick([1, 2, 5, 20, 45, 90, 300])
    world.network.setBaseFee(BigInt(gwei) * GWEI)
    return `base fee ${gwei} gwei`
  },
  'foreign-use': async ({ world }, chance) => {
    const lane = chance.pick(world.lanes)
    const row = [...world.state.lanes.values()].find((each) => each.lane.signer === lane.signer)
    const live = [...(row?.live.values() ?? [])]
      .map((id) => findMemoryTransaction(world.state, id)?.tx)
      .filter((tx) => tx !== undefined && isInFlight(tx))
    const tx = live.length > 0 && chance.hits(0.6) ? chance.pick(live) : undefined
    const count = world.network.head().accounts.get(lane.signer)?.nonce ?? 0
    const nonce = tx !== undefined && isInFlight(tx) ? tx.nonce : count
    if (nonce < count) return 'foreign-use: too late'
    const { raw } = await world.signElsewhere(lane, nonce, tx?.intent.to ?? lane.signer, tx?.intent.value ?? 3n)
    await world.sendElsewhere(raw)
    return `somebody else uses nonce ${nonce} of ${lane.signer.slice(0, 4)}`
  },
  promises: ({ world }, chance) => {
    world.network.preconfirm(() => chance.hits(0.8))
    return 'a block in the making is shown'
  },
  'rpc-cut': (scene, chance) => {
    const node = anyNode(scene, chance)
    if (node === null) return 'rpc-cut: nobody runs'
    const index = chance.below(scene.world.endpoints.length)
    const endpoint = scene.world.endpoints[index]
    if (endpoint !== undefined) node.cutFrom.add(endpoint)
    return `cut ${node.nodeId} from rpc-${index}`
  },
  'rpc-down': troubleEndpoint('rpc-down', (unreached) => ({ unreached })),
  'rpc-lost-answer': troubleEndpoint('rpc-lost-answer', (lost) => ({ lost })),
  'rpc-rate-limit': troubleEndpoint('rpc-rate-limit', (rateLimited) => ({ rateLimited: rateLimited * 0.8 })),
  'rpc-html': troubleEndpoint('rpc-html', (html) => ({ html })),
  'rpc-slow': troubleEndpoint('rpc-slow', (_, chance) => ({ slowMs: chance.pick([50, 600, 3_000, 12_000]) })),
  'rpc-lag': ({ world }, chance) => {
    const [index, lag] = [chance.below(world.network.views.length), 1 + chance.below(4)]
    const view = world.network.views[index]
    if (view !== undefined) world.network.setFollowing(view, true, lag)
    return `rpc-${index} is ${lag} blocks behind`
  },
  'rpc-split': ({ world }, chance) => {
    const index = chance.below(world.network.views.length)
    const view = world.network.views[index]
    if (view !== undefined) world.network.setFollowing(view, false)
    return `rpc-${index} stays on its fork`
  },
  'rpc-not-kept': troubleEndpoint('rpc-not-kept', (notKept) => ({ notKept })),
  'rpc-lies': troubleEndpoint('rpc-lies', (lying) => ({ lying })),
  'rpc-no-receipt': troubleEndpoint('rpc-no-receipt', (noReceipt) => ({ noReceipt })),
  'rpc-price': troubleEndpoint('rpc-price', (_, chance) => ({ priceFactor: chance.pick([50, 1_000, 1_000_000]) })),
  'receiver-down': ({ world }, chance) => {
    const share = 0.2 + chance.fraction() * 0.8
    world.receiver.mood = chance.pick([
      { ...GOOD_RECEIVER, refusing: share },
      { ...GOOD_RECEIVER, answerLost: share },
      { ...GOOD_RECEIVER, slowMs: 5_000 },
    ])
    world.receiver.chance = createChance(`${world.plan.seed} ${chance.below(1e9)}`)
    return 'the webhook receiver has trouble'
  },
}
