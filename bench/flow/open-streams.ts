/** Readers of the event stream that discard what they read. */
import type { BenchStack } from './stack.ts'

export async function openStreams({ url, token }: BenchStack['service'], count: number): Promise<{ close(): void }> {
  const stop = new AbortController()
  await Promise.all(
    Array.from({ length: count }, async () => {
      const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
      const answer = await fetch(`${url}/v1/events/stream`, { headers, signal: stop.signal })
      if (!answer.ok || answer.body === null) throw new Error(`the event stream answered ${answer.status}`)
      void answer.body.pipeTo(new WritableStream(), { signal: stop.signal }).catch(() => undefined)
    }),
  )
  return { close: () => stop.abort() }
}
