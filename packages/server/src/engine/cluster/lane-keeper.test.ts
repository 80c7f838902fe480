import { describe, expect, onTestFinished, test } from 'vitest'
import type { Address } from '../../core/hex.ts'
import { type Lane, type LaneKey, type Lease, laneKey } from '../../core/lane/lane.ts'
import { STABLE } from '../../core/lane/policy.ts'
import { rankNodes } from '../../core/lane/rendezvous.ts'
import type { Signer } from '../../ports/signer.ts'
import { type Store, StoreUnavailable } from '../../ports/store.ts'
import { createFaultyStore } from '../../testing/engine/faulty-store.ts'
import { createManualClock, type ManualClock } from '../../testing/engine/manual-clock.ts'
import { createMemoryStore } from '../../testing/store/memory-store.ts'
import { anyAddress, toWrite } from '../../testing/store/samples.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createLaneKeeper, type HeldLane, type LaneKeeper } from './lane-keeper.ts'

const CHAIN_ID = 1
const SETTINGS = { leaseTtlMs: 15_000, renewIntervalMs: 5_000, marginMs: 1_500 }

function createSigner(addresses: readonly Address[], canSign: () => boolean): Signer {
  return { addresses: () => addresses, canSign, sign: () => Promise.reject(new Error('not needed')) }
}

/** Several keepers on one store; every start and stop of a lane is written down. */
async function setUp(lanes: number, addressOf: (index: number) => Address = () => anyAddress()) {
  const clock = createManualClock()
  const shared = createMemoryStore({ clock })
  const all: readonly Lane[] = Array.from({ length: lanes }, (_, index) => ({
    chainId: CHAIN_ID,
    signer: addressOf(index),
  }))
  await shared.registerSigners(all.map((lane) => ({ lane, policy: STABLE, label: null })))
  const log: string[] = []

  function node(
    nodeId: string,
    keys: readonly Address[] = all.map((lane) => lane.signer),
    address: string | null = null,
  ) {
    const store = createFaultyStore(shared)
    const telemetry = createRecordingTelemetry()
    const held: HeldLane[] = []
    const leases: Lease[] = []
    const state = {
      stopping: null as Promise<void> | null,
      onFenced: () => {},
      chains: [CHAIN_ID] as readonly number[],
      canSign: true,
      sendsPrivately: false,
    }
    const keeper = createLaneKeeper({
      store,
      clock,
      telemetry,
      nodeId,
      address,
      settings: SETTINGS,
      signer: createSigner(keys, () => state.canSign),
      chainIds: new Set([CHAIN_ID]),
      reachable: () => state.chains,
      sendsPrivately: () => state.sendsPrivately,
      onDatabaseTime: () => {},
      startLane: (lane, onFenced) => {
        held.push(lane)
        leases.push(lane.lease)
        state.onFenced = onFenced
        log.push(`${nodeId} starts`)
        return {
          lease: lane.lease,
          inFlight: () => null,
          finalityOf: () => ({ type: 'finalized' }),
          post: ({ type }) => {
            if (type === 'policy.changed') log.push(`${nodeId} learns of a new policy`)
          },
          stop: async () => {
            log.push(`${nodeId} stops`)
            await state.stopping
          },
        }
      },
    })
    const unlisten = store.listen((notice) => {
      if (notice.type === 'lane.released' || notice.type === 'nodes.changed') keeper.poke()
    })
    onTestFinished(unlisten)
    return { nodeId, keeper, store, telemetry, held, leases, state, unlisten, lanes: () => keeper.count() }
  }
  return { clock, store: shared, all, log, node }
}

function runningKeys(keeper: LaneKeeper): LaneKey[] {
  return [...keeper.running()].map(({ lease }) => laneKey(lease.lane))
}

/** Ids of which the first ranks first for the lane. */
function rankedIds(lane: Lane, count: number): readonly string[] {
  return rankNodes(
    laneKey(lane),
    Array.from({ length: count }, (_, index) => `node-${index}`),
  )
}

async function started(clock: ManualClock, node: { keeper: { start(): Promise<void> } }): Promise<void> {
  await node.keeper.start()
  await clock.settle()
}

describe('taking lanes', () => {
  test('the only node takes every lane that it has a key for, at its first beat', async () => {
    const { clock, all, node } = await setUp(5)
    const a = node(
      'node-a',
      all.slice(1).map((lane) => lane.signer),
    )
    await started(clock, a)
    expect(runningKeys(a.keeper).sort()).toEqual(all.slice(1).map(laneKey).sort())
  })

  test('lanes spread over the nodes and each is run by exactly one, by the one that ranks first in the end', async () => {
    const { clock, all, node } = await setUp(60)
    const nodes = ['node-a', 'node-b', 'node-c'].map((nodeId) => node(nodeId))
    for (const each of nodes) await started(clock, each)
    await clock.advance(30_000)
    const owners = new Map(nodes.flatMap((each) => runningKeys(each.keeper).map((key) => [key, each.nodeId])))
    for (const lane of all) {
      const key = laneKey(lane)
      expect(owners.get(key)).toBe(rankNodes(key, ['node-a', 'node-b', 'node-c'])[0])
      expect(nodes.filter((each) => runningKeys(each.keeper).includes(key))).toHaveLength(1)
    }
  })

  test('after they are spread nothing moves any more', async () => {
    const { clock, log, node } = await setUp(30)
    const nodes = ['node-a', 'node-b', 'node-c'].map((nodeId) => node(nodeId))
    for (const each of nodes) await started(clock, each)
    await clock.advance(60_000)
    const before = log.length
    await clock.advance(3_600_000)
    expect(log.slice(before)).toEqual([])
  })

  test('a lane whose first in rank cannot reach its key is taken by the next, after the others had their chance', async () => {
    const { clock, all, node } = await setUp(1)
    const [lane] = all
    if (lane === undefined) throw new Error('no lane')
    const [first = '', second = ''] = rankedIds(lane, 2)
    const keyless = node(first, [])
    const able = node(second)
    await started(clock, keyless)
    await started(clock, able)
    expect(able.lanes()).toBe(0)
    await clock.advance(SETTINGS.renewIntervalMs + 1)
    expect(able.lanes()).toBe(1)
    await clock.advance(120_000)
    expect(able.leases).toHaveLength(1)
  })

  test('a lost answer to an acquisition does not leave the lane without an owner', async () => {
    const { clock, node } = await setUp(1)
    const a = node('node-a')
    let lost = false
    a.store.setFault((call) => {
      if (call !== 'acquireLeases' || lost) return null
      lost = true
      return 'answer_lost'
    })
    await started(clock, a)
    await clock.advance(3 * SETTINGS.renewIntervalMs)
    expect(lost).toBe(true)
    expect(a.lanes()).toBe(1)
  })

  test('a lane that stopped by itself while we held its lease is started again', async () => {
    const { clock, node } = await setUp(1)
    const a = node('node-a')
    await started(clock, a)
    a.state.onFenced()
    expect(a.lanes()).toBe(0)
    await clock.advance(3 * SETTINGS.renewIntervalMs)
    expect(a.lanes()).toBe(1)
    expect(a.leases.map((lease) => lease.fence)).toEqual([1, 2])
  })
})

describe('keeping lanes', () => {
  test('the right to act ends by the monotonic clock, counted from before the renewal was asked for', async () => {
    const { clock, node } = await setUp(1)
    const a = node('node-a')
    await started(clock, a)
    const [held] = a.held
    a.store.setFault((call) => (call === 'renewLeases' ? 'answer_lost' : null))
    await clock.advance(13_499)
    expect(held?.mayAct()).toBe(true)
    await clock.advance(1)
    expect(held?.mayAct()).toBe(false)
    a.store.setFault(null)
    await clock.advance(SETTINGS.renewIntervalMs)
    expect(held?.mayAct()).toBe(true)
  })

  test.each([
    ['an acquisition', 'acquireLeases', 0],
    ['a renewal', 'renewLeases', SETTINGS.renewIntervalMs],
  ] as const)('an answer to %s that took its time gives no more time [G5]', async (_, call, askedAtMs) => {
    const { clock, node } = await setUp(1)
    const a = node('node-a')
    const slowMs = 4_000
    const renew = a.store.renewLeases
    Object.assign(a.store, {
      renewLeases: (...args: Parameters<typeof renew>) =>
        clock.monotonic() > askedAtMs ? Promise.reject(new StoreUnavailable('away')) : renew(...args),
    })
    const ask = a.store[call] as (...args: readonly unknown[]) => Promise<unknown>
    Object.assign(a.store, {
      [call]: async (...args: readonly unknown[]) => {
        const answer = await ask(...args)
        if (clock.monotonic() < askedAtMs) return answer
        return await new Promise((resolve) => clock.schedule(slowMs, () => resolve(answer)))
      },
    })
    void a.keeper.start()
    await clock.advance(askedAtMs + slowMs)
    const [held] = a.held
    const deadline = askedAtMs + SETTINGS.leaseTtlMs - SETTINGS.marginMs
    await clock.advance(deadline - clock.monotonic() - 1)
    expect(held?.mayAct()).toBe(true)
    await clock.advance(1)
    expect(held?.mayAct()).toBe(false)
  })

  test('a process that was frozen past its lease may not act when it wakes, before it has asked anybody [G5]', async () => {
    const { clock, node } = await setUp(1)
    const a = node('node-a')
    await started(clock, a)
    clock.freeze(13_500)
    expect(a.held[0]?.mayAct()).toBe(false)
  })

  test('a node that does not report is named until it is started again, under another id', async () => {
    const { clock, node } = await setUp(1)
    const [a, b] = [node('node-a'), node('node-b', [], 'vm-2:4747')]
    await started(clock, a)
    await started(clock, b)
    b.store.setFault(() => 'unavailable')
    await clock.advance(3 * SETTINGS.renewIntervalMs)
    expect(a.keeper.silent()).toMatchObject([{ nodeId: 'node-b', address: 'vm-2:4747' }])
    await started(clock, node('node-c', [], 'vm-3:4747'))
    await clock.advance(SETTINGS.renewIntervalMs)
    expect(a.keeper.silent()).toHaveLength(1)
    await started(clock, node('node-d', [], 'vm-2:4747'))
    await clock.advance(SETTINGS.renewIntervalMs)
    expect(a.keeper.silent()).toEqual([])
  })

  test('a lost lease stops its lane at the next beat and is taken again with a higher fence', async () => {
    const { clock, node, log } = await setUp(1)
    const a = node('node-a')
    await started(clock, a)
    a.store.setFault((call) => (call === 'renewLeases' ? 'unavailable' : null))
    await clock.advance(16_000)
    a.store.setFault(null)
    await clock.advance(5_000)
    expect(log).toEqual(['node-a starts', 'node-a stops', 'node-a starts'])
    expect(a.leases.map((lease) => lease.fence)).toEqual([1, 2])
    expect(a.held[0]?.mayAct()).toBe(false)
    expect(a.held[1]?.mayAct()).toBe(true)
    // It took back its own: that is no takeover, but its log says what happened to it.
    const count = (result: string) => a.telemetry.valueOf('drover_leases_total', { result })
    expect([count('lost'), count('taken'), count('taken_over')]).toEqual([1, 2, 0])
    const said = a.telemetry.logs.filter(({ message }) => message.startsWith('leases expired'))
    expect(said).toMatchObject([{ level: 'warn', fields: { lanes: 1, runbook: 'docs/runbook.md#takeover' } }])
  })

  test('a lane that found out by its own write that its lease was lost is reported at the next beat, once', async () => {
    const { clock, node } = await setUp(1)
    const a = node('node-a')
    await started(clock, a)
    a.state.onFenced()
    await clock.advance(15_000)
    const said = a.telemetry.logs.filter(({ message }) => message.startsWith('leases expired'))
    expect(said).toMatchObject([{ level: 'warn', fields: { lanes: 1, runbook: 'docs/runbook.md#takeover' } }])
    expect(a.telemetry.valueOf('drover_leases_total', { result: 'lost' })).toBe(1)
  })

  test('a lost lane that is slow to stop does not cost the others their right to act', async () => {
    const { clock, node, store } = await setUp(2)
    const a = node('node-a')
    await started(clock, a)
    const [slow] = a.leases
    if (slow === undefined) throw new Error('no lease')
    a.state.stopping = new Promise(() => {})
    await store.releaseLeases([slow])
    await store.acquireLeases('node-z', [slow.lane], 3_600_000)
    await clock.advance(60_000)
    const rights = a.held.map((lane) => [lane.lease === slow, lane.mayAct()])
    expect(rights).toEqual([
      [true, false],
      [false, true],
    ])
  })

  test('a store that is gone for an hour is asked at the beat, and the lanes come back by themselves', async () => {
    const { clock, node } = await setUp(3)
    const a = node('node-a')
    await started(clock, a)
    const before = clock.fired()
    a.store.setFault(() => 'unavailable')
    await clock.advance(3_600_000)
    expect(clock.fired() - before).toBeLessThan(750)
    expect(a.held.some((lane) => lane.mayAct())).toBe(false)
    a.store.setFault(null)
    await clock.advance(10_000)
    expect(a.held.filter((lane) => lane.mayAct())).toHaveLength(3)
  })

  test('an idle beat costs a fixed handful of statements, whatever the number of lanes', async () => {
    const counts = async (lanes: number) => {
      const { clock, node } = await setUp(lanes)
      const a = node('node-a')
      await started(clock, a)
      const sum = () => [...a.store.calls.values()].reduce((total, count) => total + count, 0)
      const before = sum()
      await clock.advance(100_000)
      return sum() - before
    }
    const one = await counts(1)
    expect(one).toBeLessThanOrEqual(20 * 5)
    expect(await counts(50)).toBe(one)
  })
})

test('whoever waits for it knows that the lanes follow a change, without any notice', async () => {
  const { clock, store, all, log, node } = await setUp(1)
  const a = node('node-a')
  await started(clock, a)
  a.unlisten()
  const [lane] = all as [Lane]
  const policy = { ...STABLE, maxTxFeeWei: 7n }
  await store.updateSigner(lane, { policy, paused: true }, { type: 'signer.changed', cause: 'operator', detail: {} })
  expect(a.keeper.signer(lane)?.policy.maxTxFeeWei).not.toBe(7n)
  await a.keeper.applySigners()
  expect(a.keeper.signer(lane)).toMatchObject({ policy, paused: true })
  expect(log).toEqual(['node-a starts', 'node-a learns of a new policy'])
})

test('a lane learns when its policy changes, on whichever node that was done, and only then', async () => {
  const { clock, store, all, log, node } = await setUp(2)
  const { keeper } = node('node-a')
  await keeper.start()
  await clock.advance(6_000)
  log.length = 0
  const [lane] = all
  if (lane === undefined) throw new Error('there are two lanes')
  const note = { type: 'signer.changed', cause: 'operator', detail: {} }
  await store.updateSigner(lane, { policy: { ...STABLE, maxTxFeeWei: 7n }, label: 'x' }, note)
  await clock.advance(1)
  expect(log).toEqual(['node-a learns of a new policy'])
  await store.updateSigner(lane, { label: 'y' }, note)
  await clock.advance(6_000)
  expect(log).toHaveLength(1)
})

describe('handing over', () => {
  test('a lane moves to a better-ranked newcomer by request: the owner stops first, the newcomer starts at once', async () => {
    const { clock, all, node, log } = await setUp(1)
    const [lane] = all
    if (lane === undefined) throw new Error('no lane')
    const [best = '', other = ''] = rankedIds(lane, 2)
    const a = node(other)
    await started(clock, a)
    await clock.advance(6_000)
    const b = node(best)
    await started(clock, b)
    await clock.advance(SETTINGS.renewIntervalMs)
    expect(log).toEqual([`${other} starts`, `${other} stops`, `${best} starts`])
    await clock.advance(120_000)
    expect(log).toHaveLength(3)
  })

  test('a lane that is slow to stop keeps its lease until it has, and holds up no renewal', async () => {
    const { clock, all, node } = await setUp(20)
    const a = node('node-a')
    await started(clock, a)
    let finish = () => {}
    a.state.stopping = new Promise((resolve) => {
      finish = resolve
    })
    const b = node('node-b')
    await started(clock, b)
    await clock.advance(30_000)
    expect(b.lanes()).toBe(0)
    const kept = all.filter((lane) => rankNodes(laneKey(lane), ['node-a', 'node-b'])[0] === 'node-a')
    const acting = a.held.filter((lane) => lane.mayAct()).map((lane) => laneKey(lane.lease.lane))
    expect(acting.sort()).toEqual(kept.map(laneKey).sort())
    finish()
    await clock.advance(100)
    expect(b.lanes()).toBe(all.length - kept.length)
  })

  test('a clean stop hands every lane to the others at once', async () => {
    const { clock, node, store } = await setUp(10)
    const [a, b] = [node('node-a'), node('node-b')]
    await started(clock, a)
    await started(clock, b)
    await clock.advance(20_000)
    expect(a.lanes()).toBeGreaterThan(0)
    await a.keeper.stop()
    a.unlisten()
    await clock.advance(100)
    expect(b.lanes()).toBe(10)
    expect((await store.listNodes()).map(({ nodeId }) => nodeId)).toEqual(['node-b'])
  })

  test('the others take over from a dead node once its leases have expired', async () => {
    const { clock, node } = await setUp(10)
    const [a, b] = [node('node-a'), node('node-b')]
    await started(clock, a)
    await started(clock, b)
    await clock.advance(20_000)
    a.unlisten()
    a.store.setFault(() => 'unavailable')
    const count = (result: string) => b.telemetry.valueOf('drover_leases_total', { result }) ?? 0
    const [own, before] = [b.lanes(), count('taken_over')]
    expect([b.telemetry.valueOf('drover_lanes_of_others'), before]).toEqual([10 - own, 0])
    await clock.advance(SETTINGS.leaseTtlMs + 2 * SETTINGS.renewIntervalMs)
    expect(b.lanes()).toBe(10)
    expect(count('taken_over')).toBe(10 - own)
    expect(b.telemetry.valueOf('drover_lanes_of_others')).toBe(0)
  })

  test('a lane that another node was quicker to take is counted, and left to it', async () => {
    const { clock, node, all, store } = await setUp(1)
    const b = node('node-b')
    // Between the look at what is free and the taking of it.
    const { acquireLeases } = b.store
    Object.assign(b.store, {
      acquireLeases: async (...args: Parameters<typeof acquireLeases>) => {
        await store.acquireLeases('node-a', all, SETTINGS.leaseTtlMs)
        return acquireLeases(...args)
      },
    })
    await started(clock, b)
    expect([b.lanes(), b.telemetry.valueOf('drover_leases_total', { result: 'not_owner' })]).toEqual([0, 1])
  })

  test('a request by a node that has died since moves nothing', async () => {
    const { clock, all, node, store, log } = await setUp(1)
    const a = node('node-a')
    await started(clock, a)
    await store.requestLeases('node-gone', all)
    await clock.advance(60_000)
    expect(log).toEqual(['node-a starts'])
  })
})

describe('a chain that some nodes cannot reach', () => {
  async function twoNodes() {
    // Which node takes a lane follows from its address: these six are spread over both.
    const bench = await setUp(6, (index) => `0x${String(index + 1).repeat(40)}`)
    const [a, b] = [bench.node('node-a'), bench.node('node-b')]
    for (const each of [a, b]) await started(bench.clock, each)
    await bench.clock.advance(60_000)
    expect([a.lanes() > 0, b.lanes() > 0, a.lanes() + b.lanes()]).toEqual([true, true, 6])
    return { ...bench, a, b }
  }

  test('its lanes go to the peer that can, and come back with it', async () => {
    const { clock, a, b } = await twoNodes()
    const before = a.lanes()
    a.state.chains = []
    a.keeper.poke()
    await clock.advance(1_000)
    expect([a.lanes(), b.lanes()]).toEqual([0, 6])
    await clock.advance(60_000)
    expect([a.lanes(), b.lanes()]).toEqual([0, 6])
    a.state.chains = [CHAIN_ID]
    await clock.advance(60_000)
    expect([a.lanes(), b.lanes()]).toEqual([before, 6 - before])
  })

  test('where nobody can, everything stays where it is', async () => {
    const { clock, a, b, log } = await twoNodes()
    const before = [a.lanes(), b.lanes()]
    a.state.chains = []
    b.state.chains = []
    a.keeper.poke()
    b.keeper.poke()
    await clock.advance(15_000)
    const moved = log.length
    await clock.advance(120_000)
    expect(log.length).toBe(moved)
    expect(a.lanes() + b.lanes()).toBe(6)
    expect(before[0]).toBeGreaterThan(0)
  })

  test('a node alone keeps its lanes, whatever it can reach', async () => {
    const { clock, node } = await setUp(3)
    const a = node('node-a')
    a.state.chains = []
    await started(clock, a)
    await clock.advance(60_000)
    expect(a.lanes()).toBe(3)
    expect(a.leases).toHaveLength(3)
  })
})

describe('a key that the owner of a lane cannot reach', () => {
  async function setKeyAway(store: Store, { lease }: HeldLane, isAway: boolean): Promise<void> {
    const problem = { code: 'key_unavailable', since: 0, txId: null, nonce: null, count: null, detail: null } as const
    await store.writeLanes([toWrite(lease, [], { problems: isAway ? [problem] : [] })])
  }

  async function twoNodes() {
    const bench = await setUp(1)
    const [lane] = bench.all
    if (lane === undefined) throw new Error('no lane')
    const [best = '', other = ''] = rankedIds(lane, 2)
    const [a, b] = [bench.node(best), bench.node(other)]
    for (const each of [a, b]) await started(bench.clock, each)
    await bench.clock.advance(10_000)
    expect([a.lanes(), b.lanes()]).toEqual([1, 0])
    const owned = (node: typeof a) => node.held.at(-1) as HeldLane
    return { ...bench, a, b, owned }
  }

  test('the lane goes to a peer that can sign, and comes back once its owner can', async () => {
    const { clock, store, a, b, owned } = await twoNodes()
    a.state.canSign = false
    await clock.advance(60_000)
    // Nothing was to be signed: nothing moves.
    expect(a.lanes()).toBe(1)
    await setKeyAway(store, owned(a), true)
    await clock.advance(15_000)
    expect([a.lanes(), b.lanes()]).toEqual([0, 1])
    await setKeyAway(store, owned(b), false)
    await clock.advance(60_000)
    expect([a.lanes(), b.lanes()]).toEqual([0, 1])
    a.state.canSign = true
    await clock.advance(15_000)
    expect([a.lanes(), b.lanes()]).toEqual([1, 0])
  })

  test('where nobody can sign, it stays where it is, and a free one is taken all the same', async () => {
    const { clock, store, a, b, owned, log } = await twoNodes()
    a.state.canSign = false
    b.state.canSign = false
    await setKeyAway(store, owned(a), true)
    const before = log.length
    await clock.advance(60_000)
    expect([a.lanes(), log.length]).toEqual([1, before])
    await a.keeper.stop()
    await clock.advance(30_000)
    expect(b.lanes()).toBe(1)
  })
})

describe('a signer that sends privately', () => {
  async function twoNodes() {
    const bench = await setUp(1)
    const [lane] = bench.all
    if (lane === undefined) throw new Error('no lane')
    const [best = '', other = ''] = rankedIds(lane, 2)
    return { ...bench, lane, plain: bench.node(best), startHidden: () => bench.node(other) }
  }

  test('it moves to the node with a send endpoint, and never back to the one without', async () => {
    const { clock, store, plain, startHidden, lane } = await twoNodes()
    await started(clock, plain)
    await clock.advance(10_000)
    expect(plain.lanes()).toBe(1)
    const hidden = startHidden()
    hidden.state.sendsPrivately = true
    await started(clock, hidden)
    await clock.advance(15_000)
    expect([plain.lanes(), hidden.lanes()]).toEqual([0, 1])
    expect(await store.listSigners()).toMatchObject([{ lane, sendsPrivately: true }])
    await clock.advance(120_000)
    expect([plain.lanes(), hidden.leases.length]).toEqual([0, 1])
    await hidden.keeper.stop()
    await clock.advance(120_000)
    expect(plain.lanes()).toBe(0)
    const said = plain.telemetry.logs.filter(({ message }) => message.includes('has no send endpoint for it'))
    expect(said).toHaveLength(1)
  })

  test('a node with the endpoint takes it over from one that died, and one without does once it is released', async () => {
    const { clock, store, plain, startHidden, lane } = await twoNodes()
    const hidden = startHidden()
    plain.state.sendsPrivately = true
    hidden.state.sendsPrivately = true
    await started(clock, plain)
    await started(clock, hidden)
    await clock.advance(10_000)
    await plain.keeper.stop()
    await clock.advance(15_000)
    expect(hidden.lanes()).toBe(1)
    hidden.state.sendsPrivately = false
    await clock.advance(15_000)
    expect(hidden.lanes()).toBe(0)
    await store.setSendsPrivately([lane], false, { type: 'signer.changed', cause: null, detail: {} })
    await clock.advance(15_000)
    expect(hidden.lanes()).toBe(1)
  })
})
