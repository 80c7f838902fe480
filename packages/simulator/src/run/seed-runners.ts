/**
 * Runs seeds, one at a time in this process or several at once in processes of their own. What a seed gives is the same
 * either way: a process has its own time, chance and world for each run, and shares nothing with another.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Fault } from '../plan/faults.ts'
import { makePlan } from '../plan/plan.ts'
import { type RunOutcome, runPlan } from './run-plan.ts'

export interface SeedJob {
  readonly seed: number
  readonly steps: number
  /** Null: all. */
  readonly faults: readonly Fault[] | null
  readonly keepTrace: boolean
}

export interface SeedRunners {
  run(job: SeedJob): Promise<RunOutcome>
  close(): void
}

type Answer = { readonly outcome: RunOutcome } | { readonly error: string }

/** In the bundle this is the whole simulator, among the sources this file: both export `serveSeeds`. */
const PROGRAM = 'const { serveSeeds } = await import(process.argv[1]); serveSeeds()'

/** Most of what a run makes is gone with the next step: a larger nursery saves collecting it. */
const FOR_SPEED = ['--max-semi-space-size=64']

export function openSeedRunners(workers: number): SeedRunners {
  return workers > 1 ? openProcesses(workers) : { run: runSeed, close() {} }
}

/** The other end: answers one job after the other until its parent is gone. */
export function serveSeeds(): void {
  process.on('message', (job: SeedJob) => {
    runSeed(job).then(
      (outcome) => process.send?.({ outcome } satisfies Answer),
      (error: Error) => process.send?.({ error: error.stack ?? error.message } satisfies Answer),
    )
  })
  process.on('disconnect', () => process.exit(0))
}

async function runSeed({ seed, steps, faults, keepTrace }: SeedJob): Promise<RunOutcome> {
  return await runPlan(makePlan(seed, { steps, faults }), { keepTrace })
}

function openProcesses(count: number): SeedRunners {
  const waiting: ((child: ChildProcess) => void)[] = []
  const idle: ChildProcess[] = []
  const all = Array.from({ length: count }, () => startProcess())
  idle.push(...all)

  const take = (): Promise<ChildProcess> => {
    const child = idle.pop()
    return child === undefined ? new Promise((resolve) => void waiting.push(resolve)) : Promise.resolve(child)
  }
  const giveBack = (child: ChildProcess): void => {
    const next = waiting.shift()
    if (next === undefined) idle.push(child)
    else next(child)
  }

  return {
    async run(job) {
      const child = await take()
      const answer = await ask(child, job)
      giveBack(child)
      if ('error' in answer) throw new Error(`seed ${job.seed}: ${answer.error}`)
      return answer.outcome
    },
    close() {
      for (const child of all) child.disconnect()
    },
  }
}

function startProcess(): ChildProcess {
  const args = [...process.execArgv, ...FOR_SPEED, '--input-type=module', '-e', PROGRAM, import.meta.url]
  return spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
}

function ask(child: ChildProcess, job: SeedJob): Promise<Answer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer): void => {
      child.off('message', onMessage)
      child.off('exit', onExit)
      resolve(answer)
    }
    const onMessage = (answer: unknown): void => settle(answer as Answer)
    const onExit = (code: number | null): void => settle({ error: `its process ended with code ${code}` })
    child.once('message', onMessage)
    child.once('exit', onExit)
    child.send(job)
  })
}
