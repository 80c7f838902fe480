/**
 * Keeps a service running until it is asked to stop. The first signal asks for an orderly stop, which is given a
 * bounded time; a second one, a moment later, ends the process at once. A signal that comes while the service still
 * starts counts as the first. An uncaught error is a bug, after which nothing can be relied on: it is reported, and the
 * service stops in the same way, so its lanes go to a peer immediately instead of when their leases expire.
 */
import { EXIT, type ExitCode } from '../exit-code.ts'
import type { Terminal } from '../output/terminal.ts'

export interface Running {
  stop(): Promise<void>
  /** Ends when the service has stopped, for whatever reason; rejects when it broke. */
  readonly stopped: Promise<void>
}

export interface RunOptions<T extends Running> {
  readonly terminal: Terminal
  readonly shutdownTimeoutMs: number
  /** Aborted if it is asked to stop before it has started. */
  start(signal: AbortSignal): Promise<T>
  onStarted(running: T): void
  onBug(error: unknown): void
}

/** One Ctrl-C arrives twice under npm: from the terminal, and passed on by npm. */
const SAME_KEYSTROKE_MS = 500

type End = { readonly type: 'signal' | 'bug' | 'stopped' }

export async function runUntilStopped<T extends Running>(options: RunOptions<T>): Promise<ExitCode> {
  const { terminal } = options
  let interrupt: (end: End) => void = () => undefined
  const interrupted = new Promise<End>((resolve) => {
    interrupt = resolve
  })
  let firstAt: number | null = null
  const takeBack = terminal.onSignal(() => {
    if (firstAt === null) {
      firstAt = performance.now()
      interrupt({ type: 'signal' })
    } else if (performance.now() - firstAt > SAME_KEYSTROKE_MS) terminal.exit(EXIT.interrupted)
  })
  const aborter = new AbortController()
  let isBroken = false
  const stopCatching = terminal.onBug((error) => {
    isBroken = true
    options.onBug(error)
    interrupt({ type: 'bug' })
  })
  try {
    const starting = options.start(aborter.signal)
    const first = await Promise.race([starting, interrupted])
    const running = 'type' in first ? null : first
    if (running !== null) {
      options.onStarted(running)
      const end = await Promise.race([interrupted, running.stopped.then((): End => ({ type: 'stopped' }))])
      if (end.type === 'stopped') {
        terminal.stderr.write('Drover stopped on its own. See the log for the reason.\n')
        return EXIT.failure
      }
    }
    terminal.stderr.write('Stopping. Press Ctrl-C again to stop at once.\n')
    aborter.abort()
    const code = await stopInTime(starting, aborter.signal, options)
    return isBroken ? EXIT.failure : code
  } finally {
    takeBack()
    stopCatching()
  }
}

async function stopInTime<T extends Running>(
  starting: Promise<T>,
  { reason }: AbortSignal,
  options: RunOptions<T>,
): Promise<ExitCode> {
  let timer: NodeJS.Timeout | undefined
  const outOfTime = new Promise<ExitCode>((resolve) => {
    timer = setTimeout(() => {
      options.terminal.stderr.write(
        `The shutdown took longer than ${options.shutdownTimeoutMs} ms, so Drover stops now. Other nodes take over when the leases expire.\n`,
      )
      resolve(EXIT.failure)
    }, options.shutdownTimeoutMs)
  })
  const orderly = starting
    .then((running) => running.stop())
    .catch((error: unknown) => {
      // It had not started, and stopped as requested.
      if (error !== reason) throw error
    })
    .then((): ExitCode => EXIT.ok)
  try {
    return await Promise.race([orderly, outOfTime])
  } finally {
    clearTimeout(timer)
  }
}
