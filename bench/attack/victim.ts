/** A second tenant with ordinary work. Records how long each request took and what failed. */
import { setTimeout as pause } from 'node:timers/promises'

export interface Observed {
  /** Ids of what was accepted. */
  readonly accepted: readonly string[]
  readonly failures: Readonly<Record<string, number>>
  /** By kind of request, the fastest first. */
  readonly latencies: Readonly<Record<Measured, readonly Latency[]>>
}

/** `timer`: how late this program itself was woken, which tells how busy the machine is. */
export type Measured = 'accept' | 'read' | 'event' | 'timer'

export interface Latency {
  readonly ms: number
  /** Seconds since the start. */
  readonly at: number
}

const EVERY_MS = 100

export async function observe(
  { url, token, signer }: { readonly url: string; readonly token: string; readonly signer: string },
  durationMs: number,
): Promise<Observed> {
  const latencies = { accept: [] as Latency[], read: [] as Latency[], event: [] as Latency[], timer: [] as Latency[] }
  const beganAt = performance.now()
  const add = (what: Measured, ms: number): void => {
    latencies[what].push({ ms, at: (performance.now() - beganAt - ms) / 1_000 })
  }
  const failures: Record<string, number> = {}
  const accepted: string[] = []
  const fail = (what: string): void => {
    failures[what] = (failures[what] ?? 0) + 1
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const stop = new AbortController()

  async function time<T>(what: 'accept' | 'read', work: () => Promise<T>): Promise<T | null> {
    const startedAt = performance.now()
    try {
      const answer = await work()
      add(what, performance.now() - startedAt)
      return answer
    } catch (error) {
      fail(`${what}: ${String(error)}`)
      return null
    }
  }

  async function ask(path: string, init: RequestInit = {}): Promise<{ readonly id?: string }> {
    const answer = await fetch(url + path, { headers, ...init })
    if (!answer.ok) throw new Error(String(answer.status))
    return (await answer.json()) as { readonly id?: string }
  }

  /** The delay of an event: the time since it happened. */
  async function follow(): Promise<void> {
    const answer = await fetch(`${url}/v1/events/stream?from=${signer}`, { headers, signal: stop.signal })
    if (!answer.ok || answer.body === null) return fail(`stream: ${answer.status}`)
    let text = ''
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        const at = /"at":"([^"]+)"/.exec(line)?.[1]
        if (at !== undefined) add('event', Math.max(0, Date.now() - Date.parse(at)))
      }
    }
    if (!stop.signal.aborted) fail('stream: ended')
  }

  const following = follow().catch((error: unknown) => {
    if (!stop.signal.aborted) fail(`stream: ${String(error)}`)
  })
  const endsAt = performance.now() + durationMs
  const body = JSON.stringify({ from: signer, to: signer, value: '1' })
  const running: Promise<unknown>[] = []
  while (performance.now() < endsAt) {
    running.push(
      (async () => {
        const made = await time('accept', () => ask('/v1/transactions', { method: 'POST', body }))
        if (made?.id === undefined) return
        accepted.push(made.id)
        await time('read', () => ask(`/v1/transactions/${made.id}`))
      })(),
    )
    const pausedAt = performance.now()
    await pause(EVERY_MS)
    add('timer', Math.max(0, performance.now() - pausedAt - EVERY_MS))
  }
  await Promise.all(running)
  stop.abort()
  await following
  for (const list of Object.values(latencies)) list.sort((a, b) => a.ms - b.ms)
  return { accepted, failures, latencies }
}
