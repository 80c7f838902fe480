import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EXIT } from '../exit-code.ts'
import type { Terminal } from '../output/terminal.ts'
import { type Running, runUntilStopped } from './run-until-stopped.ts'

interface Stage {
  readonly terminal: Terminal
  readonly exits: number[]
  readonly said: string[]
  signal(): void
  break(error: Error): void
  hasListener(): boolean
}

function createStage(): Stage {
  const listeners = new Set<(signal: string) => void>()
  const catchers = new Set<(error: unknown) => void>()
  const exits: number[] = []
  const said: string[] = []
  const stream = { write: (text: string) => said.push(text) }
  return {
    exits,
    said,
    signal: () => listeners.forEach((listener) => void listener('SIGTERM')),
    break: (error) => catchers.forEach((listener) => void listener(error)),
    hasListener: () => listeners.size + catchers.size > 0,
    terminal: {
      env: {},
      folder: '/',
      stdout: stream,
      stderr: stream,
      onSignal(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      onBug(listener) {
        catchers.add(listener)
        return () => catchers.delete(listener)
      },
      exit: (code) => exits.push(code),
    },
  }
}

const never = new Promise<void>(() => undefined)

const told: unknown[] = []
const onBug = (error: unknown) => void told.push(error)

function run(stage: Stage, running: Partial<Running>, onStarted: () => void = () => undefined): Promise<number> {
  return runUntilStopped({
    terminal: stage.terminal,
    shutdownTimeoutMs: 1_000,
    start: async () => ({ stop: async () => undefined, stopped: never, ...running }),
    onStarted,
    onBug,
  })
}

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('the first signal stops cleanly, once', async () => {
  const stage = createStage()
  const stop = vi.fn(async () => undefined)
  const code = run(stage, { stop }, () => stage.signal())
  expect(await code).toBe(EXIT.ok)
  expect(stop).toHaveBeenCalledTimes(1)
  expect(stage.hasListener()).toBe(false)
})

test('the second signal ends the process at once, unless it is the same keystroke', async () => {
  const stage = createStage()
  const stop = vi.fn(() => never)
  const code = run(stage, { stop }, () => stage.signal())
  await vi.advanceTimersByTimeAsync(100)
  stage.signal()
  expect(stage.exits).toEqual([])
  await vi.advanceTimersByTimeAsync(500)
  stage.signal()
  expect(stage.exits).toEqual([EXIT.interrupted])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await code).toBe(EXIT.failure)
})

test('a clean stop has a time limit', async () => {
  const stage = createStage()
  const code = run(stage, { stop: () => never }, () => stage.signal())
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await code).toBe(EXIT.failure)
  expect(stage.said.join('')).toContain('longer than 1000 ms')
})

test('a signal during the start takes effect once it can be stopped', async () => {
  const stage = createStage()
  const stop = vi.fn(async () => undefined)
  const onStarted = vi.fn()
  let started: (running: Running) => void = () => undefined
  const code = runUntilStopped({
    terminal: stage.terminal,
    shutdownTimeoutMs: 1_000,
    start: () => new Promise<Running>((resolve) => (started = resolve)),
    onStarted,
    onBug,
  })
  stage.signal()
  await vi.advanceTimersByTimeAsync(10)
  started({ stop, stopped: never })
  expect(await code).toBe(EXIT.ok)
  expect(stop).toHaveBeenCalledTimes(1)
  expect(onStarted).not.toHaveBeenCalled()
})

test('a service that ends by itself is a failure', async () => {
  const stage = createStage()
  expect(await run(stage, { stopped: Promise.resolve() })).toBe(EXIT.failure)
  await expect(run(stage, { stopped: Promise.reject(new Error('lost')) })).rejects.toThrow('lost')
})

test('an uncaught error is printed, stops it cleanly, and is a failure', async () => {
  const stage = createStage()
  const stop = vi.fn(async () => undefined)
  const bug = new TypeError('x is undefined')
  expect(await run(stage, { stop }, () => stage.break(bug))).toBe(EXIT.failure)
  expect(stop).toHaveBeenCalledTimes(1)
  expect(told).toEqual([bug])
  expect(stage.hasListener()).toBe(false)
})
