/** Nodes that run timers, on a chain and a store in memory, by a clock that only the test moves. */
import type { ChainView, Header } from '../../core/chain/finality.ts'
import { FAST } from '../../core/lane/policy.ts'
import { createOperate } from '../../engine/operate/operate.ts'
import type { UpstreamPace } from '../../engine/tenants/upstream-pace.ts'
import { createTimerHost } from '../../engine/timers/timer-host.ts'
import type { AgreedReads, ViewCall, ViewOutcome } from '../../ports/chain.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { TimerStore } from '../../ports/timer-store.ts'
import { createFakeChain, type FakeChain } from '../chain/fake-chain.ts'
import { createMemoryStore } from '../store/memory-store.ts'
import { createMemoryTimerStore, type MemoryTimerStore } from '../store/timers/memory-timer-store.ts'
import { createSilentTelemetry } from '../telemetry/recording-telemetry.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'

const CHAIN_ID = 77
export const LANE = { chainId: CHAIN_ID, signer: `0x${'11'.repeat(20)}` } as const
export const TTL_MS = 3_000

export interface TimerScene {
  readonly clock: ManualClock
  readonly chain: FakeChain
  readonly store: Store
  readonly timers: MemoryTimerStore
  /** Lets the nodes see the chain as it is. */
  look(): Promise<void>
  startNode(): { kill(): void }
}

interface Around {
  readonly store?: (timers: TimerStore) => TimerStore
  readonly chain?: (chain: AgreedReads) => AgreedReads
  /** What a view call returns as of a height. */
  readonly view?: (call: ViewCall, height: number) => ViewOutcome | Promise<ViewOutcome>
  readonly paceOf?: (clock: ManualClock) => UpstreamPace
  readonly telemetry?: Telemetry
}

/** `around`: what a node sees instead of the store of timers and the chain. */
export async function createTimerScene(deliverAt: number, around: Around = {}): Promise<TimerScene> {
  const clock = createManualClock()
  const chain = createFakeChain({ chainId: CHAIN_ID, ...(around.view !== undefined && { view: around.view }) })
  const pace = around.paceOf?.(clock)
  const store = createMemoryStore({ clock })
  await store.registerSigners([{ lane: LANE, policy: FAST, label: null }])
  const timers = createMemoryTimerStore({ clock, transactions: store })
  const operate = createOperate({
    store,
    chains: new Map([[CHAIN_ID, chain]]),
    clock,
    telemetry: createSilentTelemetry(),
    policyOf: () => FAST,
    finalityOf: () => ({ type: 'confirmations', count: 6 }),
    viewOf: () => null,
  })
  const listeners = new Set<(chainId: number) => void>()
  let headers: Header[] = []
  let ids = 0
  let nodes = 0

  async function look(): Promise<void> {
    const head = chain.head().number
    headers = []
    for (let number = 0; number <= head; number++) {
      const block = await chain.getBlock(number)
      if (block !== null) headers.push(block)
    }
    for (const listener of listeners) listener(CHAIN_ID)
    await clock.advance(20)
  }

  function startNode() {
    nodes += 1
    let isDead = false
    const dead = <T extends object>(target: T): T =>
      new Proxy(target, {
        get: (of, name) => (isDead ? () => new Promise(() => {}) : Reflect.get(of, name)),
      })
    const view = (): ChainView | null => {
      const last = headers.at(-1)
      return last === undefined ? null : { head: last, safe: null, finalized: null, header: (n) => headers[n] ?? null }
    }
    const host = createTimerHost({
      store: dead(around.store?.(timers) ?? timers),
      notices: timers,
      clock,
      telemetry: around.telemetry ?? createSilentTelemetry(),
      nodeId: `node-${nodes}`,
      random: { id: () => `01890a5d-ac96-774b-bcce-${(++ids).toString().padStart(12, '0')}` },
      lease: { ttlMs: TTL_MS, renewIntervalMs: 700 },
      chains: new Map([
        [
          CHAIN_ID,
          {
            chain: around.chain?.(chain) ?? chain,
            pace,
            settings: {
              deliverAt: { type: 'confirmations', count: deliverAt },
              finality: { type: 'confirmations', count: 6 },
              reorgDepth: 12,
              maxQueuedPerSigner: 100_000,
              tenantSharePercent: 25,
              retryMs: 10,
              blockTimeMs: 12_000,
            },
          },
        ],
      ]),
      viewOf: view,
      operate,
      isReachable: () => true,
      onChain: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    })
    void host.start()
    return {
      kill: () => {
        isDead = true
      },
    }
  }

  return { clock, chain, store, timers, look, startNode }
}
