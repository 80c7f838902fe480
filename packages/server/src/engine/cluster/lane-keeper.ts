/**
 * Keeps this node's share of the lanes: sends heartbeats, renews leases, takes free lanes, hands over lanes that
 * another node should have.
 *
 * Every node ranks the live nodes for a lane in the same way. The first in rank takes a free lane at once. The others
 * wait longer the lower they rank, so a lane is never left idle because the first cannot reach its key. If a lane runs
 * elsewhere but ranks this node first, this node requests it. The owner sees that at its next renewal, finishes what it
 * is writing and lets go. Leases belong to the database. The node only adds a deadline by its own monotonic clock,
 * counted from before the renewal was requested, after which it starts no broadcast.
 *
 * Each node may have its own RPC nodes. A node that cannot reach a chain leaves its lanes to peers that can, and takes
 * none. If no node can reach it, everything stays where it is. In the same way, if the owner of a lane cannot sign, a
 * peer whose key store responds requests the lane. If no node can sign, it stays with its owner, who follows what was
 * sent before. A signer that sends privately is run only by nodes that have a send endpoint for it (send-binding.ts).
 */

import { coalesce } from '../../core/coalesced-task.ts'
import type { SilentNode } from '../../core/explain/describe-problem.ts'
import { SILENT_NODE_STEP } from '../../core/explain/next-steps.ts'
import { SILENT_NODE_ENTRY, TAKEOVER_ENTRY } from '../../core/explain/runbook.ts'
import { spellTime } from '../../core/explain/spell-time.ts'
import { type Lane, type LaneKey, type Lease, laneKey } from '../../core/lane/lane.ts'
import type { Policy } from '../../core/lane/policy.ts'
import { rankNodes } from '../../core/lane/rendezvous.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Signer } from '../../ports/signer.ts'
import type { LiveNode, SignerRecord, Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { LaneRunner } from '../lane/lane-runner.ts'
import { createSendBinding, type SendsPrivately } from './send-binding.ts'

export interface KeeperSettings {
  readonly leaseTtlMs: number
  readonly renewIntervalMs: number
  /** Subtracted from the lease for the local deadline: clock speeds differ slightly and messages take time. */
  readonly marginMs: number
}

export interface HeldLane {
  readonly lease: Lease
  mayAct(): boolean
}

export interface LaneKeeper {
  start(): Promise<void>
  /** The lane, if this node runs it now. */
  find(lane: Lane): LaneRunner | null
  /** Lanes that this node runs now. */
  running(): Iterable<LaneRunner>
  count(): number
  signer(lane: Lane): SignerRecord | null
  /** Nodes that have not reported for too long. */
  silent(): readonly SilentNode[]
  /** Checks the lanes now instead of at the next beat. */
  poke(): void
  /** Reads the signers again and settles once every lane here follows what they say now. */
  applySigners(): Promise<void>
  /** Stops every lane in order and gives up its lease at once. */
  stop(): Promise<void>
}

interface KeeperPorts {
  readonly store: Store
  readonly clock: Clock
  readonly signer: Signer
  readonly telemetry: Telemetry
  readonly nodeId: string
  readonly address: string | null
  readonly chainIds: ReadonlySet<number>
  /** Chains whose RPC nodes respond to this node. */
  reachable(): readonly number[]
  readonly sendsPrivately: SendsPrivately
  readonly settings: KeeperSettings
  onDatabaseTime(nowMs: number, askedAt: number, answeredAt: number): void
  startLane(held: HeldLane, onFenced: () => void): LaneRunner
}

/** Beats that a node may miss before others report it. */
const SILENT_BEATS = 2
const MIN_SILENCE_MS = 2_000
const LEASES_LOST =
  'leases expired: this node was frozen, or did not reach the database, for longer than `leaseDuration`'

interface Held {
  readonly lease: Lease
  readonly runner: LaneRunner
  deadline: number
}

export function createLaneKeeper(ports: KeeperPorts): LaneKeeper {
  const { store, clock, telemetry, nodeId, settings } = ports
  const held = new Map<LaneKey, Held>()
  const leaving = new Map<LaneKey, { readonly lease: Lease; readonly done: Promise<void> }>()
  const binding = createSendBinding(ports)
  const freeSince = new Map<LaneKey, number>()
  let signers = new Map<LaneKey, SignerRecord>()
  let silent: readonly SilentNode[] = []
  /** Leases lost since the last beat, as the lanes found out by their own writes. */
  let fenced = 0
  let cancelBeat = (): void => {}
  let stopped = false
  telemetry.count('drover_leases_total', { result: 'taken_over' }, 0)

  const beats = coalesce(async () => {
    if (stopped) return
    cancelBeat()
    await beatOnce().catch((error: unknown) => {
      telemetry.log('warn', 'could not renew leases; retrying', { nodeId, error })
    })
    if (!stopped && !beats.isWanted()) cancelBeat = clock.schedule(settings.renewIntervalMs, beat)
  })

  function beat(): void {
    if (!stopped) void beats.run()
  }

  async function beatOnce(): Promise<void> {
    const askedAt = clock.monotonic()
    const renewed = await store.renewLeases(nodeId, settings.leaseTtlMs)
    const beatAt = clock.monotonic()
    const chains = ports.reachable()
    const { nowMs, nodes, ...heard } = await store.heartbeat({
      nodeId,
      address: ports.address,
      ttlMs: settings.leaseTtlMs,
      chains,
      silentAfterMs: Math.max(MIN_SILENCE_MS, settings.renewIntervalMs * SILENT_BEATS),
    })
    const live = nodes.filter((node) => heard.silent.every(({ nodeId: id }) => id !== node.nodeId))
    // One that was started again has another id. Without a port, it could be any on the same machine.
    const isBack = (gone: SilentNode) =>
      gone.address?.includes(':') === true &&
      live.some(({ address, startedAt }) => address === gone.address && startedAt > gone.heartbeatAt)
    reportSilent(
      heard.silent.filter((node) => !isBack(node)),
      live.length,
    )
    ports.onDatabaseTime(nowMs, beatAt, clock.monotonic())
    const stillOurs = new Map(renewed.map((lease) => [laneKey(lease.lane), lease]))
    let lost = fenced
    fenced = 0
    for (const [key, mine] of held) {
      const lease = stillOurs.get(key)
      if (lease?.fence !== mine.lease.fence) {
        lost++
        leave(key, mine)
        continue
      }
      mine.deadline = askedAt + settings.leaseTtlMs - settings.marginMs
      const { wantedBy, lane } = lease
      const fit = fitNodes(nodes, lane.chainId)
      const isWanted = wantedBy !== null && wantedBy !== nodeId && fit.includes(wantedBy)
      if (isWanted || !fit.includes(nodeId)) leave(key, mine)
    }
    if (lost > 0) {
      telemetry.count('drover_leases_total', { result: 'lost' }, lost)
      telemetry.log('warn', LEASES_LOST, { nodeId, lanes: lost, runbook: TAKEOVER_ENTRY })
    }
    telemetry.count('drover_leases_total', { result: 'renewed' }, renewed.length)
    await release(renewed.filter(isIdle))
    const before = signers
    const records = await binding.bind(await store.listSigners())
    signers = new Map(records.map((record) => [laneKey(record.lane), record]))
    wakeChanged(before)
    leaveBarred()
    await claim(nodes)
    telemetry.gauge('drover_lanes_owned', held.size)
  }

  function reportSilent(now: readonly SilentNode[], live: number): void {
    for (const { nodeId: peer, address, heartbeatAt } of now) {
      if (silent.some((known) => known.nodeId === peer)) continue
      const message = `node ${peer} has not reported since ${spellTime(heartbeatAt)}`
      telemetry.log('warn', message, { nodeId, peer, address, next: SILENT_NODE_STEP, runbook: SILENT_NODE_ENTRY })
    }
    silent = now
    telemetry.gauge('drover_nodes', live, { state: 'live' })
    telemetry.gauge('drover_nodes', now.length, { state: 'silent' })
  }

  /** A transaction that waited for a policy, such as a cap on fees, need not wait for its next try. */
  function wakeChanged(before: ReadonlyMap<LaneKey, SignerRecord>): void {
    for (const [key, { runner }] of held) {
      const [was, is] = [before.get(key), signers.get(key)]
      if (was !== undefined && is !== undefined && spellPolicy(was.policy) !== spellPolicy(is.policy))
        runner.post({ type: 'policy.changed' })
    }
  }

  /** A signer that was removed has nothing left to do; one that sends privately is left to nodes that can do that. */
  function leaveBarred(): void {
    for (const [key, mine] of held) {
      const record = signers.get(key)
      if (record === undefined || !binding.mayRun(record)) leave(key, mine)
    }
  }

  /** No lane runs under it: the lane was left, or the answer to the acquisition was lost. */
  function isIdle({ lane, fence }: Lease): boolean {
    const key = laneKey(lane)
    return held.get(key)?.lease.fence !== fence && leaving.get(key)?.lease.fence !== fence
  }

  /**
   * Runs beside the beats: a lane that is slow to finish what it is writing must not cost the others their leases. Once
   * it has finished, its lease is idle and the next beat gives it up, together with all the others.
   */
  function leave(key: LaneKey, { lease, runner }: Held): void {
    held.delete(key)
    const done = runner
      .stop()
      .catch((error: unknown) => {
        telemetry.log('error', 'a lane did not stop cleanly', { nodeId, ...lease.lane, error })
      })
      .finally(() => {
        leaving.delete(key)
        beat()
      })
    leaving.set(key, { lease, done })
  }

  async function release(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return
    await store.releaseLeases(leases)
    telemetry.count('drover_leases_total', { result: 'released' }, leases.length)
  }

  async function claim(nodes: readonly LiveNode[]): Promise<void> {
    const reachable = new Set(ports.signer.addresses())
    const now = clock.monotonic()
    const taken = new Set((await store.listLeases()).map((lease) => laneKey(lease.lane)))
    const toTake: Lane[] = []
    const toRequest: Lane[] = []
    for (const [key, record] of signers) {
      const { lane, isKeyAway } = record
      if (held.has(key) || leaving.has(key) || !ports.chainIds.has(lane.chainId) || !reachable.has(lane.signer))
        continue
      if (!binding.mayRun(record)) continue
      const fit = fitNodes(nodes, lane.chainId)
      const rank = rankNodes(key, fit).indexOf(nodeId)
      if (rank < 0) continue
      const canSign = ports.signer.canSign?.(lane.signer) ?? true
      if (taken.has(key)) {
        freeSince.delete(key)
        if (canSign && (rank === 0 || isKeyAway === true)) toRequest.push(lane)
        continue
      }
      const since = freeSince.get(key) ?? now
      freeSince.set(key, since)
      // A node that cannot sign takes a lane only if nobody else does.
      const turn = canSign ? rank : rank + fit.length
      if (now - since >= turn * settings.renewIntervalMs) toTake.push(lane)
    }
    telemetry.gauge('drover_lanes_of_others', countOthers(taken))
    if (toRequest.length > 0) await store.requestLeases(nodeId, toRequest)
    if (toTake.length > 0) await take(toTake)
  }

  /** Counts only lanes that this node could run. */
  function countOthers(taken: ReadonlySet<LaneKey>): number {
    return [...taken].filter((key) => signers.has(key) && !held.has(key) && !leaving.has(key)).length
  }

  async function take(lanes: readonly Lane[]): Promise<void> {
    const askedAt = clock.monotonic()
    const acquired = await store.acquireLeases(nodeId, lanes, settings.leaseTtlMs, lanes.filter(ports.sendsPrivately))
    telemetry.count('drover_leases_total', { result: 'not_owner' }, lanes.length - acquired.length)
    for (const { takenFrom, ...lease } of acquired) {
      const key = laneKey(lease.lane)
      freeSince.delete(key)
      const isTakeover = takenFrom !== undefined && takenFrom !== nodeId
      telemetry.count('drover_leases_total', { result: isTakeover ? 'taken_over' : 'taken' })
      if (isTakeover)
        telemetry.log('info', 'took over a lane from a node whose lease expired', {
          nodeId,
          ...lease.lane,
          fence: lease.fence,
          takenFrom,
          runbook: TAKEOVER_ENTRY,
        })
      const deadline = askedAt + settings.leaseTtlMs - settings.marginMs
      const mayAct = (): boolean => {
        const mine = held.get(key)
        return mine?.lease.fence === lease.fence && clock.monotonic() < mine.deadline
      }
      const runner = ports.startLane({ lease, mayAct }, () => {
        if (held.get(key)?.lease.fence !== lease.fence) return
        held.delete(key)
        fenced++
      })
      held.set(key, { lease, runner, deadline })
      runner.post({ type: 'work' })
    }
  }

  return {
    start: beats.run,
    find: (lane) => held.get(laneKey(lane))?.runner ?? null,
    *running() {
      for (const { runner } of held.values()) yield runner
    },
    count: () => held.size,
    signer: (lane) => signers.get(laneKey(lane)) ?? null,
    silent: () => silent,
    poke: beat,
    applySigners: beats.run,
    stop: async () => {
      stopped = true
      cancelBeat()
      await beats.settled()
      for (const [key, mine] of held) leave(key, mine)
      const left = [...leaving.values()]
      await Promise.all(left.map(({ done }) => done))
      await release(left.map(({ lease }) => lease))
      await store.removeNode(nodeId)
    },
  }
}

/** Equal for equal policies that were read from the store. */
function spellPolicy(policy: Policy): string {
  return JSON.stringify(policy, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

/** The nodes that can reach a chain, or all nodes if none can. A node that does not report this counts as able to. */
function fitNodes(nodes: readonly LiveNode[], chainId: number): readonly string[] {
  const fit = nodes.filter(({ chains }) => chains === null || chains.includes(chainId))
  return (fit.length === 0 ? nodes : fit).map(({ nodeId }) => nodeId)
}
