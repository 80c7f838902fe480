/**
 * Waits for a lane's owner to answer requests that this node has stored. All waiting callers share one look at the
 * store, taken when something was appended to the stream and, as a fallback, at intervals. So it costs one statement at
 * a time, however many wait. A caller that has waited long enough continues without an answer: the request stays, and
 * so does its outcome.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'

export interface RequestAnswers<T> {
  /** The requests with these ids as soon as all of them are answered, or in their current state when the time is up. */
  wait(ids: readonly string[]): Promise<readonly T[]>
  close(): void
}

interface AnswerPorts<T> {
  readonly store: Pick<Store, 'listen'>
  readonly clock: Pick<Clock, 'schedule'>
  readonly timeoutMs: number
  find(ids: readonly string[]): Promise<readonly (T | null)[]>
  isAnswered(request: T): boolean
}

interface Waiting<T> {
  readonly ids: readonly string[]
  isOver: boolean
  resolve(requests: readonly T[]): void
  reject(error: unknown): void
}

const LOOK_MS = 200
/** Between two looks, however much is appended. */
const PAUSE_MS = 10

export function createRequestAnswers<T>({ store, clock, timeoutMs, ...ports }: AnswerPorts<T>): RequestAnswers<T> {
  const waiting = new Set<Waiting<T>>()
  let looking = false
  let lookAgain = false
  let cancelLook = (): void => {}

  const unlisten = store.listen((notice) => {
    if (notice.type === 'events.appended' || notice.type === 'timers.answered' || notice.type === 'gap') void look()
  })

  async function look(): Promise<void> {
    if (waiting.size === 0) return
    if (looking) {
      lookAgain = true
      return
    }
    looking = true
    cancelLook()
    const asked = [...waiting]
    await lookFor(asked).catch((error: unknown) => {
      // The store does not respond. Callers with time left keep waiting; the others get the error.
      for (const item of asked.filter(({ isOver }) => isOver)) {
        waiting.delete(item)
        item.reject(error)
      }
    })
    looking = false
    const again = lookAgain
    lookAgain = false
    if (waiting.size > 0) cancelLook = clock.schedule(again ? PAUSE_MS : LOOK_MS, () => void look())
  }

  async function lookFor(asked: readonly Waiting<T>[]): Promise<void> {
    const ids = [...new Set(asked.flatMap((item) => item.ids))]
    const found = await ports.find(ids)
    const byId = new Map(ids.map((id, index) => [id, found[index] ?? null]))
    for (const item of asked) {
      const requests = item.ids.flatMap((id) => byId.get(id) ?? [])
      if (!item.isOver && !requests.every(ports.isAnswered)) continue
      waiting.delete(item)
      item.resolve(requests)
    }
  }

  return {
    wait: (ids) =>
      new Promise((resolve, reject) => {
        const item: Waiting<T> = { ids, isOver: false, resolve, reject }
        waiting.add(item)
        clock.schedule(timeoutMs, () => {
          item.isOver = true
          if (waiting.has(item)) void look()
        })
        void look()
      }),
    close: () => {
      unlisten()
      cancelLook()
    },
  }
}
