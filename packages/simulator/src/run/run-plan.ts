/** Runs a plan from its first step to a quiet end, and returns the result. */
import { FIRST } from '../chance.ts'
import { createWorld, type World } from '../cluster/world.ts'
import type { Plan } from '../plan/plan.ts'
import { createTimeline } from '../timeline.ts'
import { createActors } from './actors.ts'
import { comeToRest } from './come-to-rest.ts'
import { type Scene, takeStep } from './take-step.ts'
import { createTrace } from './trace.ts'
import { Violation } from './violation.ts'

export interface RunOutcome {
  readonly seed: number
  readonly steps: number
  /** Hash of everything that happened: the same on every machine. */
  readonly hash: string
  readonly violation: { readonly guarantee: string; readonly message: string; readonly atStep: number | null } | null
  readonly stats: RunStats
  /** Empty unless requested. */
  readonly lines: readonly string[]
}

export interface RunStats {
  readonly kinds: Readonly<Record<string, number>>
  readonly intents: number
  readonly final: number
  readonly stuck: number
  readonly blocks: number
  readonly sends: number
  readonly signed: number
  readonly takeovers: number
  readonly events: number
  readonly simulatedMs: number
}

export async function runPlan(plan: Plan, { keepTrace = false } = {}): Promise<RunOutcome> {
  const timeline = createTimeline()
  const trace = createTrace(timeline.now, keepTrace)
  const world = await createWorld(plan, timeline, trace)
  const scene: Scene = { world, actors: createActors(world) }
  const kinds: Record<string, number> = {}
  let violation: RunOutcome['violation'] = null
  let atStep: number | null = null
  const failures = catchFailures()
  const { stackTraceLimit } = Error
  // Simulated trouble throws thousands of errors that nobody looks at; where one comes from is told when a run is traced.
  if (!keepTrace) Error.stackTraceLimit = 0
  try {
    await begin(scene)
    for (const step of plan.steps) {
      atStep = step.index
      trace.add(`${step.index} ${await takeStep(scene, step)}`)
      kinds[step.kind] = (kinds[step.kind] ?? 0) + 1
      await timeline.advance(step.waitMs)
      failures.check()
      world.watcher.check()
    }
    atStep = null
    await comeToRest(scene)
    failures.check()
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    violation = { guarantee: error.guarantee, message: error.message, atStep }
    trace.add(`VIOLATION ${error.guarantee}: ${error.message}`)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
    failures.close()
    for (const node of world.nodes.values()) node.process.kill()
  }
  const stats = { ...countEnds(world), kinds }
  return { seed: plan.seed, steps: plan.steps.length, hash: trace.hash(), violation, stats, lines: trace.lines() }
}

async function begin({ world, actors }: Scene): Promise<void> {
  for (let block = 0; block < 10; block++) world.network.mine()
  for (let node = 0; node < world.setup.nodes; node++) await world.startNode()
  await world.timeline.advance(200)
  actors.follow(FIRST)
}

/** An unhandled rejection is a bug of ours. */
function catchFailures(): { check(): void; close(): void } {
  let failure: unknown = null
  const note = (error: unknown): void => {
    failure ??= error
  }
  process.on('unhandledRejection', note)
  return {
    check() {
      if (failure === null) return
      if (failure instanceof Violation) throw failure
      throw new Violation('bug', failure instanceof Error ? (failure.stack ?? failure.message) : String(failure))
    },
    close: () => void process.off('unhandledRejection', note),
  }
}

function countEnds({ state, network, watcher, timeline }: World): Omit<RunStats, 'kinds'> {
  const all = [...state.lanes.values()].flatMap(({ transactions }) => [...transactions.values()].map(({ tx }) => tx))
  return {
    intents: watcher.counts.accepted,
    final: all.filter(({ state: name }) => ['CONFIRMED', 'FAILED_FINAL', 'CANCELLED', 'EXPIRED'].includes(name)).length,
    stuck: all.filter(({ state: name }) => name === 'STUCK').length,
    blocks: network.highest(),
    sends: watcher.counts.sent,
    signed: watcher.counts.signed,
    takeovers: watcher.counts.takeovers,
    events: state.events.length,
    simulatedMs: Math.round(timeline.now()),
  }
}
