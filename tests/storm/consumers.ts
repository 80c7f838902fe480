/** The consumers: a stream reader that reconnects to another node, and a webhook receiver that fails now and then. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Chance } from '../fuzz/chance.ts'
import { readServerSentEvents } from '../setup/server-sent-events.ts'
import type { SeenEvent, StormLog } from './storm-log.ts'

export interface StreamReader {
  stop(): Promise<void>
}

/** A stream without even a heartbeat for this long is replaced by that of another node. */
const SILENCE_MS = 6_000

/** Reads from one node after another, always from the last event it has. */
export function followStream(log: StormLog, nextUrl: () => string): StreamReader {
  let isOver = false
  let controller = new AbortController()

  async function readOnce(): Promise<void> {
    controller = new AbortController()
    const own = controller
    let timer = setTimeout(() => own.abort(), SILENCE_MS)
    const last = log.stream.at(-1)?.eventId ?? 0
    try {
      const headers = last > 0 ? { 'last-event-id': String(last) } : undefined
      const response = await fetch(`${nextUrl()}/v1/events/stream?after=0`, {
        signal: own.signal,
        ...(headers && { headers }),
      })
      if (response.status !== 200) return
      const body = response.body?.pipeThrough(
        new TransformStream({
          transform(chunk, to) {
            clearTimeout(timer)
            timer = setTimeout(() => own.abort(), SILENCE_MS)
            to.enqueue(chunk)
          },
        }),
      )
      for await (const { data } of readServerSentEvents(new Response(body ?? null))) log.stream.push(readEvent(data))
    } finally {
      clearTimeout(timer)
    }
  }

  const following = (async () => {
    while (!isOver) {
      await readOnce().catch(() => {})
      log.cuts.stream++
      await delay(50)
    }
  })()
  return {
    stop: async () => {
      isOver = true
      controller.abort()
      await following
    },
  }
}

function readEvent(text: string): SeenEvent {
  const { eventId, transactionId, type } = JSON.parse(text)
  return { eventId, txId: transactionId, type }
}

export interface Receiver {
  readonly url: string
  setDown(isDown: boolean): void
  stop(): Promise<void>
}

/** Only events that it answered with 200 count as received. */
export async function startReceiver(log: StormLog, chance: Chance): Promise<Receiver> {
  let isDown = false
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (isDown) {
      request.socket.destroy()
      return
    }
    if (chance.percent(3)) {
      response.writeHead(500).end()
      return
    }
    const { data } = JSON.parse(text)
    const messageId = String(request.headers['webhook-id'])
    log.webhooks.push({ eventId: data.eventId, txId: data.transactionId, type: data.type, messageId })
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setDown: (down) => {
      isDown = down
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
