/** The world around a command: what it reads, where it writes and what interrupts it. */

import type { LogStream } from '@drover/server'
import type { Environment } from '@drover/server/settings'
import type { ExitCode } from '../exit-code.ts'

/** Where text goes. On a terminal it has a width, which changes with the window. */
export interface OutputStream extends LogStream {
  readonly columns?: number
}

export interface Terminal {
  readonly env: Environment
  readonly folder: string
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** Called for each SIGINT and SIGTERM until taken back, and when npm, which started it, has been ended. */
  onSignal(listener: (signal: string) => void): () => void
  /** Called with each uncaught error, instead of ending the process with its text in full view. */
  onBug(listener: (error: unknown) => void): () => void
  /** Ends the process now, whatever is still going on in it. */
  exit(code: ExitCode): void
}

export function createProcessTerminal(): Terminal {
  return {
    env: process.env,
    folder: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    onSignal(listener) {
      process.on('SIGINT', listener)
      process.on('SIGTERM', listener)
      const stopWatching = watchParent(listener)
      return () => {
        process.off('SIGINT', listener)
        process.off('SIGTERM', listener)
        stopWatching()
      }
    },
    onBug(listener) {
      // Unhandled rejections arrive here as well.
      process.on('uncaughtException', listener)
      return () => process.off('uncaughtException', listener)
    },
    exit: (code) => process.exit(code),
  }
}

const PARENT_CHECK_MS = 500

/**
 * npm passes a signal on to the shell that it runs a script in; that shell ends without passing it on. So losing the
 * parent process counts as a signal too.
 */
function watchParent(listener: (signal: string) => void): () => void {
  if (process.env.npm_lifecycle_event === undefined || process.platform === 'win32') return () => {}
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    listener('SIGHUP')
  }, PARENT_CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}
