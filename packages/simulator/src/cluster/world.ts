/** The whole simulated world: time, chain, database, nodes and their users. */
import type { Address, Hash, Hex } from '../../../server/src/core/hex.ts'
import type { Lane } from '../../../server/src/core/lane/lane.ts'
import type { Random } from '../../../server/src/ports/clock.ts'
import type { Signer } from '../../../server/src/ports/signer.ts'
import type { Store } from '../../../server/src/ports/store.ts'
import type { StuckHook } from '../../../server/src/ports/stuck-hook.ts'
import type { WebhookStore } from '../../../server/src/ports/webhook-store.ts'
import { createCheapBytes } from '../../../server/src/testing/engine/cheap-bytes.ts'
import { createMemoryState, type MemoryState } from '../../../server/src/testing/store/memory-state.ts'
import { createMemoryStore } from '../../../server/src/testing/store/memory-store.ts'
import { createMemoryWebhookStore } from '../../../server/src/testing/store/memory-webhook-store.ts'
import { createSilentTelemetry } from '../../../server/src/testing/telemetry/recording-telemetry.ts'
import { GOOD_MOOD } from '../chain/endpoint-mood.ts'
import { createNetwork, type Network } from '../chain/network.ts'
import { createRpcPost, type SimEndpoint } from '../chain/rpc-post.ts'
import { createChance } from '../chance.ts'
import { createWatcher, type Watcher } from '../check/watcher.ts'
import type { Plan } from '../plan/plan.ts'
import type { Trace } from '../run/trace.ts'
import { GOOD_STORE, listenThrough, openStoreWay, type StoreWay } from '../store/node-store.ts'
import type { Timeline } from '../timeline.ts'
import { createProcess, EPOCH_MS } from './process.ts'
import { createReceiver, type Receiver } from './receiver.ts'
import { CHAIN_ID, GWEI, makeSetup, type Setup } from './setup.ts'
import { createSimNode, type SimNode } from './sim-node.ts'

export interface LiveNode extends SimNode {
  readonly way: StoreWay
  /** RPC nodes that it cannot reach. */
  readonly cutFrom: Set<SimEndpoint>
}

export interface World {
  readonly plan: Plan
  readonly setup: Setup
  readonly timeline: Timeline
  readonly network: Network
  readonly endpoints: readonly SimEndpoint[]
  readonly state: MemoryState
  /** The database itself, without faults. */
  readonly store: Store
  readonly webhooks: WebhookStore
  readonly receiver: Receiver
  readonly lanes: readonly Lane[]
  readonly signer: Signer
  readonly nodes: Map<string, LiveNode>
  readonly watcher: Watcher
  readonly trace: Trace
  /** The database is down for everyone until then. */
  outageUntil: number
  /** A node has counted a reorg of final blocks. */
  hasToldFinalReorg: boolean
  startNode(): Promise<void>
  /** Bytes that someone else signs with one of our keys. */
  signElsewhere(
    lane: Lane,
    nonce: number,
    to: Address,
    value: bigint,
  ): Promise<{ readonly raw: Hex; readonly hash: Hash }>
  /** Sends bytes to the chain without Drover. */
  sendElsewhere(raw: Hex): Promise<void>
}

const RICH = 10n ** 21n

/** Data that makes a call revert: in simulation, or only when mined. */
export const REVERTS = '0xbad0'
export const REVERTS_LATER = '0xbad1'

export async function createWorld(plan: Plan, timeline: Timeline, trace: Trace): Promise<World> {
  const setup = makeSetup(plan)
  const addresses = setup.signers.map(({ address }) => address)
  const lanes = addresses.map((signer) => ({ chainId: CHAIN_ID, signer }))
  const bytes = createCheapBytes(...addresses)
  const databaseNow = (): number => EPOCH_MS + timeline.now()
  const state = createMemoryState(databaseNow)
  const store = createMemoryStore({ clock: { now: databaseNow }, state })
  const random = createRandom(plan.seed)
  const webhooks = createMemoryWebhookStore({
    clock: { now: databaseNow },
    events: store,
    newId: () => random.id(databaseNow()),
  })
  const network = createNetwork({
    chainId: CHAIN_ID,
    nodes: setup.endpoints,
    decode: bytes.decode,
    now: databaseNow,
    balances: Object.fromEntries(addresses.map((address) => [address, RICH])),
    execute: ({ data }) => ({ succeeded: !data.startsWith('0xbad'), gasUsed: 21_000n }),
    safeDepth: setup.safeDepth,
    finalizedDepth: setup.finalizedDepth,
  })
  const endpoints = network.views.map(
    (view, index): SimEndpoint => ({ view, mood: GOOD_MOOD, chance: createChance(`endpoint ${plan.seed} ${index}`) }),
  )
  const watcher = createWatcher({ setup, network, state, trace, decode: bytes.decode })
  const receiver = createReceiver(timeline, watcher)
  const signer: Signer = {
    addresses: bytes.signer.addresses,
    sign: async (address, unsigned) => {
      const signed = await bytes.signer.sign(address, unsigned)
      watcher.signed(address, unsigned, signed.hash)
      return signed
    },
  }
  await store.registerSigners(
    setup.signers.map(({ address, policy }) => ({ lane: { chainId: CHAIN_ID, signer: address }, policy, label: null })),
  )
  await webhooks.insertWebhook(
    {
      id: random.id(databaseNow()),
      url: 'https://receiver.example/hook',
      description: null,
      secret: 'secret',
      filter: { types: null, chainId: null, signer: null, completions: !setup.tellsAll },
      after: 0,
      createdBy: 'sim',
    },
    10,
  )
  /** Alerts are made from it, so a node that died before it stored the event has told people all the same. */
  function noteFinalReorg(metric: string, _labels?: unknown, by = 1): void {
    if (metric === 'drover_final_reorgs_total' && by > 0) world.hasToldFinalReorg = true
  }
  let started = 0
  const hookChance = createChance(`hook ${plan.seed}`)

  async function startNode(): Promise<void> {
    const nodeId = `node-${++started}`
    const process = createProcess(timeline, setup.nextClock())
    const way: StoreWay = { mood: GOOD_STORE, chance: createChance(`way ${plan.seed} ${nodeId}`), isCut: false }
    const cutFrom = new Set<SimEndpoint>()
    const ports = { way, process, timeline, isDown: () => world.outageUntil > timeline.now() }
    const { listen, close, ...calls } = store
    const { close: closeWebhooks, ...webhookCalls } = webhooks
    const ownStore: Store = {
      ...openStoreWay(calls, ports, (name, args, call) => watcher.call(nodeId, name, args, call)),
      listen: listenThrough({ listen }, ports),
      close,
    }
    const node = createSimNode({
      nodeId,
      process,
      signer,
      random,
      chainId: CHAIN_ID,
      chainSettings: setup.chainSettings,
      store: ownStore,
      webhooks: { ...openStoreWay(webhookCalls, ports), close: closeWebhooks },
      poster: receiver.openPoster(process),
      telemetry: { ...createSilentTelemetry(), count: noteFinalReorg },
      hook: setup.hasHook ? createHook(hookChance) : null,
      urls: endpoints.map((_, index) => `http://rpc-${index}.example`),
      openPost: ({ url, timeoutMs }) => {
        const endpoint = endpoints[Number(url.hostname.slice(4, 5))]
        if (endpoint === undefined) throw new Error(`no RPC node ${url.hostname}`)
        return createRpcPost({
          network,
          endpoint,
          process,
          timeline,
          timeoutMs,
          rules: RPC_RULES,
          isCut: () => cutFrom.has(endpoint),
          onSend: (raw) => watcher.sent(nodeId, raw),
        })
      },
    })
    world.nodes.set(nodeId, { ...node, way, cutFrom })
    watcher.guard(node.start(), `${nodeId} start`)
    await timeline.settle()
  }

  const world: World = {
    plan,
    setup,
    timeline,
    network,
    endpoints,
    state,
    store,
    webhooks,
    receiver,
    lanes,
    signer,
    watcher,
    trace,
    nodes: new Map(),
    outageUntil: Number.NEGATIVE_INFINITY,
    hasToldFinalReorg: false,
    startNode,
    async signElsewhere(lane, nonce, to, value) {
      const fees = { type: 'eip1559', maxFeePerGas: 200n * GWEI, maxPriorityFeePerGas: 9n * GWEI } as const
      const unsigned = { chainId: CHAIN_ID, nonce, to, data: '0x01', value, gasLimit: 50_000n, fees } as const
      return await bytes.signer.sign(lane.signer, unsigned)
    },
    async sendElsewhere(raw) {
      const tx = await bytes.decode(raw)
      network.gossip(tx)
    },
  }
  return world
}

const RPC_RULES = {
  gas: 21_000n,
  tryCall: ({ data }: { readonly data: Hex }) =>
    data.startsWith(REVERTS) ? { code: 3, message: 'execution reverted: nope', data: '0x' } : null,
}

/** Increasing ids, like those of one machine, and the same in every run. */
function createRandom(seed: number): Random {
  const chance = createChance(`random ${seed}`)
  let ids = 0
  return {
    id: () => {
      const hex = (++ids).toString(16).padStart(12, '0')
      return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${hex}`
    },
    fraction: chance.fraction,
  }
}

/** Decides like an operator's program: mostly waits, sometimes acts, sometimes fails. */
function createHook(chance: ReturnType<typeof createChance>): StuckHook {
  return {
    decide: async ({ allowed }) => {
      const choice = chance.below(6)
      if (choice === 0) throw new Error('the hook is broken')
      const able = (action: 'retry' | 'cancel' | 'requeue' | 'close') => allowed.includes(action)
      const reason = 'decided by the hook'
      if (choice === 1 && able('retry')) return { action: 'retry', reason }
      if (choice === 2 && able('cancel')) return { action: 'cancel', reason }
      if (choice === 3 && able('requeue')) return { action: 'requeue', reason }
      if (choice === 4 && allowed.includes('speed-up')) return { action: 'bump', reason }
      return { action: 'wait' }
    },
  }
}
