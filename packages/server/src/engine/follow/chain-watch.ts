/**
 * Keeps the health of one chain: checks it after every look of the follower and every two seconds, as looks are rare
 * while no blocks come, reports changes, and knows since when blocks have been coming. Reachability has hysteresis, so lanes do not move back and forth with every answer: lost
 * after a while without answers, found again after a while with them.
 */
import {
  assessChain,
  CHAIN_STATES,
  type ChainHealth,
  type ChainSigns,
  type HealthLimits,
  isMoving,
  nameChainState,
  observeBlockTime,
  standingAfter,
} from '../../core/chain/chain-health.ts'
import { CHAIN_STEPS } from '../../core/explain/next-steps.ts'
import { chainRunbookEntry } from '../../core/explain/runbook.ts'
import type { Chain } from '../../ports/chain.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { BlockFollower } from './block-follower.ts'

export interface ChainWatchSettings {
  /** After failing for this long, lanes go to peers that reach the chain. The failure is reported sooner. */
  readonly unreachableAfterMs: number
  readonly quietAfterMs: number
  /** Null: ten block times, as observed. */
  readonly standingAfterMs: number | null
  readonly blockTimeMs: number
}

export interface ChainWatch {
  /** For a caller that has waited for a block since then; otherwise for what this node itself waits for. */
  health(waitedSince?: number | null): ChainHealth
  /** Since when blocks come without a break; null while they do not, 0 if they always did. */
  movingSince(): number | null
  isReachable(): boolean
  onChange(listener: (health: ChainHealth) => void): () => void
  stop(): void
}

interface ChainWatchPorts {
  readonly chain: Pick<Chain, 'chainId' | 'endpoints'>
  readonly follower: BlockFollower
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly settings: ChainWatchSettings
  /** A transaction that this node runs waits to be mined. */
  isWaiting(): boolean
  /** For how long one has waited, whichever node runs it; null: none does. Asked only while no blocks come. */
  othersWaitMs(): Promise<number | null>
}

/** A node that is this far below what was followed is not an ordinary reorg. */
const REWOUND_BLOCKS = 3
/** No RPC node has responded for this long: worth reporting. */
const SAID_AFTER_MS = 3_000
const REWOUND_AFTER_MS = 30_000
const ASK_EVERY_MS = 5_000
const CHECK_EVERY_MS = 2_000

export function createChainWatch(ports: ChainWatchPorts): ChainWatch {
  const { chain, follower, clock, telemetry, settings } = ports
  const labels = { chainId: chain.chainId }
  const listeners = new Set<(health: ChainHealth) => void>()
  let last: ChainHealth = { state: 'starting', since: null, message: null }
  let waitingSince: number | null = null
  let ownSince: number | null = null
  /** Since when something that another node runs has waited, as of the last answer; null: nothing does. */
  let othersSince: number | null = null
  let askedAt = Number.NEGATIVE_INFINITY
  let belowSince: number | null = null
  let movingSince: number | null = 0
  let reachable = false
  /** Since when the chain responds, while it counts as lost. */
  let answersSince: number | null = null
  let wasLost = false
  let cancelCheck = clock.schedule(CHECK_EVERY_MS, check)
  follower.onLook(() => {
    look()
    if (ownSince === null) askOthers()
  })

  function check(): void {
    cancelCheck = clock.schedule(CHECK_EVERY_MS, check)
    look()
  }

  function look(): void {
    const now = clock.now()
    ownSince = ports.isWaiting() ? (ownSince ?? now) : null
    waitingSince = ownSince ?? othersSince
    const [height, highest] = [follower.lastHeight(), follower.highest()]
    const isBelow = height !== null && highest !== null && highest - height >= REWOUND_BLOCKS
    belowSince = isBelow ? (belowSince ?? now) : null
    const health = assess(waitingSince)
    if (isMoving(health)) movingSince ??= now
    else movingSince = null
    judgeReach(assess(waitingSince, settings.unreachableAfterMs), now)
    report(health, now)
    const hasChanged = health.state !== last.state
    last = health
    if (hasChanged) for (const listener of listeners) listener(health)
  }

  /** A chain without blocks is quiet or halted: only whoever waits for a block can tell, and that may be another node. */
  function askOthers(): void {
    const [now, headSeenAt] = [clock.monotonic(), follower.headSeenAt()]
    if (headSeenAt === null || now - headSeenAt < standingLimit()) {
      othersSince = null
      return
    }
    if (now - askedAt < ASK_EVERY_MS) return
    askedAt = now
    ports.othersWaitMs().then(
      (waitMs) => {
        othersSince = waitMs === null ? null : clock.now() - waitMs
      },
      (error: unknown) =>
        telemetry.log('warn', 'could not read whether anything waits for the chain', { ...labels, error }),
    )
  }

  function standingLimit(): number {
    const seen = follower.view()
    const blockTimeMs = (seen && observeBlockTime(seen)) ?? settings.blockTimeMs
    return settings.standingAfterMs ?? standingAfter(blockTimeMs)
  }

  function judgeReach({ state }: ChainHealth, now: number): void {
    if (state === 'unreachable') {
      reachable = false
      wasLost = true
    }
    const isAnswering = state !== 'unreachable' && state !== 'starting' && follower.failingSince() === null
    answersSince = isAnswering ? (answersSince ?? now) : null
    const settled = wasLost ? settings.unreachableAfterMs : 0
    if (answersSince !== null && now - answersSince >= settled) {
      reachable = true
      wasLost = false
    }
  }

  function assess(
    since: number | null,
    unreachableAfterMs = Math.min(SAID_AFTER_MS, settings.unreachableAfterMs),
  ): ChainHealth {
    const { lastAnswerAt, failingSince, headSeenAt } = follower
    const now = clock.now()
    const offset = now - clock.monotonic()
    const toTime = (moment: number | null) => (moment === null ? null : moment + offset)
    const signs: ChainSigns = {
      now,
      belowSince,
      waitingSince: since,
      lastError: follower.lastError(),
      hosts: chain.endpoints().map(({ name }) => name),
      answeredAt: toTime(lastAnswerAt()),
      failingSince: toTime(failingSince()),
      headSeenAt: toTime(headSeenAt()),
      height: follower.lastHeight(),
      highest: follower.highest(),
    }
    const standingAfterMs = standingLimit()
    const { quietAfterMs } = settings
    const rewoundAfterMs = Math.min(REWOUND_AFTER_MS, standingAfterMs)
    const limits: HealthLimits = { unreachableAfterMs, quietAfterMs, standingAfterMs, rewoundAfterMs }
    return assessChain(signs, limits)
  }

  function report(health: ChainHealth, now: number): void {
    for (const state of CHAIN_STATES) {
      telemetry.gauge('drover_chain_state', state === health.state ? 1 : 0, { ...labels, state })
    }
    const head = follower.view()?.head
    if (head !== undefined)
      telemetry.gauge('drover_head_age_seconds', Math.max(0, now / 1_000 - head.timestamp), labels)
    if (health.state === last.state || health.state === 'starting') return
    if (health.message === null) {
      if (last.state !== 'starting')
        telemetry.log('info', 'the chain is followed again', { ...labels, was: last.state })
    } else {
      const [next, runbook] = [CHAIN_STEPS[health.state], chainRunbookEntry(health.state)]
      const fields = { ...labels, error: health.message, next, runbook }
      telemetry.log('warn', `chain ${chain.chainId} is ${nameChainState(health.state)}`, fields)
    }
  }

  return {
    health: (waitedSince = null) => assess(waitedSince ?? waitingSince),
    movingSince: () => movingSince,
    isReachable: () => reachable,
    stop: () => cancelCheck(),
    onChange: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
