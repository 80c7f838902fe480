/**
 * Sends what subscriptions have to tell, each time after a look at the caller's key: a notice of its revocation can be lost,
 * and it can expire. The order is kept. While keys cannot be read, everything is held back. A tenant that has used more
 * than its share of the thread waits for what its subscriptions have to tell.
 */
import type { Clock } from '../../ports/clock.ts'

export interface CheckedPushes {
  push(text: string): void
  close(): void
}

interface PushPorts {
  isAllowed(): Promise<boolean>
  /** Null: sending may take this long now. Else resolves when it may. */
  untilDue(ms: number): Promise<void> | null
  send(text: string): void
  /** The caller may no longer be served. Nothing is sent any more. */
  forbid(): void
  /** Counts bytes that are held back, until they are not. */
  hold(bytes: number): () => void
  /** The key could not be read. */
  onFailure(error: unknown): void
  readonly clock: Pick<Clock, 'schedule'>
}

interface Held {
  readonly text: string
  letGo(): void
}

const RETRY_MS = 500
/** What it takes the thread to send one. */
const PUSH_MS = 0.02

export function createCheckedPushes(ports: PushPorts): CheckedPushes {
  let waiting: Held[] = []
  let isLooking = false
  let isClosed = false
  let cancelRetry = (): void => {}

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    cancelRetry()
    while (waiting.length > 0) {
      // What comes during the look needs another one.
      const batch = waiting
      waiting = []
      const verdict = await ports.isAllowed().catch((error: unknown) => {
        ports.onFailure(error)
        return null
      })
      if (isClosed) break
      if (verdict === null) {
        waiting = [...batch, ...waiting]
        cancelRetry = ports.clock.schedule(RETRY_MS, () => void look())
        break
      }
      if (verdict) {
        await ports.untilDue(batch.length * PUSH_MS)
        if (isClosed) break
        sendAll(batch)
      } else {
        close()
        ports.forbid()
      }
    }
    isLooking = false
  }

  function sendAll(batch: readonly Held[]): void {
    for (const { text, letGo } of batch) {
      letGo()
      ports.send(text)
    }
  }

  function close(): void {
    isClosed = true
    waiting = []
    cancelRetry()
  }

  return {
    push: (text) => {
      if (isClosed) return
      waiting.push({ text, letGo: ports.hold(Buffer.byteLength(text)) })
      void look()
    },
    close,
  }
}
