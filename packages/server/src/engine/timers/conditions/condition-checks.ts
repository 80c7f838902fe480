/**
 * Asks for the conditions of fires, beside the loop that runs the timers of a chain: a call that takes the nodes long, or
 * that they do not answer, delays only the tenant whose timer it belongs to. Each tenant has a line and its pace at the
 * nodes, with one request at a time. A condition is a view call at the very block that fires, so a repeat gives the same
 * answer, and nothing here has to be stored before it is known.
 */
import type { ConditionOutcome } from '../../../core/timer/timer.ts'
import { MAX_TIMER_GAS } from '../../../core/timer/timer.ts'
import { type AgreedReads, ChainUnavailable, type ViewOutcome } from '../../../ports/chain.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Telemetry } from '../../../ports/telemetry.ts'
import type { NewFire } from '../../../ports/timer-store.ts'
import { createFairTurns } from '../../tenants/fair-turns.ts'
import { NO_PACE, type UpstreamPace } from '../../tenants/upstream-pace.ts'
import { listKnown, type Now, noteFailure, pickNext, untilNext, type Waiting } from './condition-line.ts'
import { judgeCondition } from './judge-condition.ts'
import type { OpenCheck } from './open-check.ts'

export interface KnownCondition {
  readonly fire: NewFire
  readonly condition: ConditionOutcome
}

export interface ConditionChecks {
  /** These wait too, after those that are there. */
  add(checks: readonly OpenCheck[]): void
  /** These wait, and no others. What is known about them stays known. */
  replace(checks: readonly OpenCheck[]): void
  /** Whatever fired above this height waits no more. */
  dropAbove(height: number): void
  /** A block of this height was applied. */
  noteBlock(height: number): void
  isWaiting(fire: NewFire): boolean
  /** Of one tenant, up to a height. */
  countOf(tenant: string, height: number): number
  /** Outcomes to store, in order. They stay until they are forgotten. */
  known(): readonly KnownCondition[]
  forget(fires: readonly NewFire[]): void
  stop(): void
}

interface CheckPorts {
  readonly chainId: number
  readonly chain: Pick<AgreedReads, 'readAgreedViews'>
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>
  readonly telemetry: Pick<Telemetry, 'gauge' | 'log'>
  /** How much of the nodes each tenant may use; left out: whatever fits. */
  readonly pace?: UpstreamPace | undefined
  /** There are outcomes to store. */
  onKnown(): void
  onBroken(error: unknown): void
}

interface Line {
  readonly tenant: string
  waiting: Waiting[]
  wasRetry: boolean
  warnedAt: number
  wake(): void
}

/** Requests to the nodes at one time; a tenant has one. */
const MAX_REQUESTS = 8
const WARN_EVERY_MS = 60_000
/** Outcomes in one write. */
const MAX_KNOWN = 1_000

export function createConditionChecks(ports: CheckPorts): ConditionChecks {
  const { chainId, chain, clock, telemetry, pace = NO_PACE } = ports
  const lines = new Map<string, Line>()
  const byId = new Map<NewFire['deliverId'], Waiting>()
  const turns = createFairTurns({
    what: 'conditions',
    maxRunning: MAX_REQUESTS,
    maxWaiting: Number.MAX_SAFE_INTEGER,
    clock,
    most: () => 1,
    whenFull: () => new Error('there is always room'),
  })
  let height = -1
  let isStopped = false

  const now = (): Now => ({ ms: clock.monotonic(), height })

  function find({ deliverId, blockHash }: NewFire): Waiting | undefined {
    const waiting = byId.get(deliverId)
    // The same id may come again at another block.
    return waiting?.fire.blockHash === blockHash ? waiting : undefined
  }

  function add(checks: readonly Waiting[]): void {
    for (const waiting of checks) {
      openLine(waiting.tenant).waiting.push(waiting)
      byId.set(waiting.fire.deliverId, waiting)
    }
    show()
  }

  function openLine(tenant: string): Line {
    const known = lines.get(tenant)
    if (known !== undefined) return known
    const line = { tenant, waiting: [], wasRetry: false, warnedAt: Number.NEGATIVE_INFINITY, wake: () => {} }
    lines.set(tenant, line)
    void follow(line).catch(ports.onBroken)
    return line
  }

  function keepOnly(isKept: (waiting: Waiting) => boolean): void {
    for (const line of lines.values()) line.waiting = line.waiting.filter(isKept)
    for (const [id, waiting] of byId) if (!isKept(waiting)) byId.delete(id)
    show()
  }

  function show(): void {
    telemetry.gauge('drover_timer_fires_waiting', byId.size, { chainId })
    for (const line of lines.values()) line.wake()
  }

  /** Ends with the last fire of its tenant. */
  async function follow(line: Line): Promise<void> {
    // Not before all of them have come.
    await Promise.resolve()
    while (!isStopped && line.waiting.length > 0) {
      const waitMs = untilNext(line.waiting, now())
      if (waitMs === 0) await turns.run(line.tenant, async (rest) => rest(await askNext(line)))
      else await untilWoken(line, waitMs)
    }
    lines.delete(line.tenant)
  }

  async function untilWoken(line: Line, waitMs: number | null): Promise<void> {
    let cancel = (): void => {}
    await new Promise<void>((resolve) => {
      line.wake = resolve
      if (waitMs !== null) cancel = clock.schedule(waitMs, resolve)
    })
    cancel()
  }

  /** Returns how long to rest. */
  async function askNext(line: Line): Promise<number> {
    const tenant = line.tenant === '' ? null : line.tenant
    let asked: readonly Waiting[] = []
    const ask = async () => {
      asked = isStopped ? [] : pickNext(line.waiting, pace.callsOf(tenant), now(), line.wasRetry)
      return asked.length === 0 ? [] : await read(asked)
    }
    const { answer, restMs } = await pace.run(tenant, ask, () => asked.length > 0)
    line.wasRetry = asked.some(({ failed }) => failed !== null)
    // A reorg may have dropped some meanwhile.
    for (const [index, waiting] of asked.entries())
      if (find(waiting.fire) === waiting) settle(line, waiting, answer[index])
    if (!isStopped && asked.some(({ outcome }) => outcome !== null)) ports.onKnown()
    return restMs
  }

  async function read(asked: readonly Waiting[]): Promise<readonly ViewOutcome[]> {
    const calls = asked.map(({ when: { to, data }, fire: { blockHash } }) => ({
      ...{ to, data, blockHash },
      gas: MAX_TIMER_GAS,
    }))
    try {
      return await chain.readAgreedViews(calls)
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error
      return asked.map(() => ({ type: 'unknown', message: error.message }))
    }
  }

  function settle(line: Line, waiting: Waiting, answer: ViewOutcome | undefined): void {
    if (answer !== undefined && answer.type !== 'unknown') {
      waiting.outcome = judgeCondition(waiting.when, answer)
      return
    }
    const message = answer?.message ?? 'no answer'
    noteFailure(waiting, message, now())
    if (clock.monotonic() - line.warnedAt < WARN_EVERY_MS) return
    line.warnedAt = clock.monotonic()
    const { tenant, waiting: all } = line
    const fires = all.length
    telemetry.log('warn', 'fires wait for a condition; Drover asks again', { chainId, tenant, fires, error: message })
  }

  return {
    add: (checks) => add(checks.map(begin)),
    replace: (checks) => {
      const kept = checks.map((check) => find(check.fire) ?? begin(check))
      keepOnly(() => false)
      add(kept)
    },
    dropAbove: (above) => keepOnly(({ fire }) => fire.height <= above),
    noteBlock: (applied) => {
      height = Math.max(height, applied)
    },
    isWaiting: (fire) => find(fire) !== undefined,
    countOf: (tenant, upTo) => lines.get(tenant)?.waiting.filter(({ fire }) => fire.height <= upTo).length ?? 0,
    known: () =>
      [...lines.values()]
        .flatMap((line) => listKnown(line.waiting))
        .slice(0, MAX_KNOWN)
        .map(({ fire, outcome }) => ({ fire, condition: outcome })),
    forget: (fires) => {
      const known = new Set(fires.map(find))
      keepOnly((waiting) => !known.has(waiting))
    },
    stop: () => {
      isStopped = true
      keepOnly(() => false)
    },
  }
}

function begin(check: OpenCheck): Waiting {
  return { ...check, outcome: null, failed: null }
}
