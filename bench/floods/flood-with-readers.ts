/**
 * Clients that ask and never read: event streams from the first event, and WebSockets with a hundred subscriptions that
 * go on asking. Whoever is cut off comes back.
 */
import type { Socket } from 'node:net'
import type { FloodOrder, FloodTally } from './flood-report.ts'
import { floodWithIntents } from './flood-with-intents.ts'
import { frameOf, headOf, openUnread, upgradeHead } from './raw-connection.ts'

const STREAMS = 25
const SOCKETS = 25
const SUBSCRIPTIONS = 100
const ASK_EVERY_MS = 100

export function floodWithReaders(order: FloodOrder, tally: FloodTally): () => Promise<void> {
  const streams = new Set<Socket>()
  const sockets = new Set<Socket>()
  let isOver = false
  let [streamsCut, socketsCut] = [0, 0]
  // Something has to happen for there to be something to read.
  const endIntents = floodWithIntents(order, tally)

  function openStream(): void {
    const head = headOf(order, 'GET /v1/events/stream?after=0')
    const socket = openUnread(order, head, () => {
      streams.delete(socket)
      streamsCut += 1
      if (!isOver) openStream()
    })
    streams.add(socket)
  }

  function openSocket(): void {
    const socket = openUnread(order, upgradeHead(order), () => {
      clearInterval(asking)
      sockets.delete(socket)
      socketsCut += 1
      if (!isOver) openSocket()
    })
    sockets.add(socket)
    for (let id = 0; id < SUBSCRIPTIONS; id++) socket.write(rpc(id, 'eth_subscribe', ['newHeads']))
    const asking = setInterval(() => {
      for (let id = 0; id < 4; id++) socket.write(rpc(id, 'eth_getBlockByNumber', ['latest', true]))
    }, ASK_EVERY_MS)
  }

  for (let index = 0; index < STREAMS; index++) openStream()
  for (let index = 0; index < SOCKETS; index++) openSocket()
  // Only a write shows that the other side is gone. An empty line between requests means nothing.
  const poking = setInterval(() => {
    for (const socket of streams) if (socket.writable) socket.write('\r\n')
  }, 1_000)

  return async () => {
    isOver = true
    clearInterval(poking)
    tally.notes.push(`cut off and came back: ${streamsCut} streams, ${socketsCut} WebSockets`)
    for (const socket of [...streams, ...sockets]) socket.destroy()
    await endIntents()
  }
}

function rpc(id: number, method: string, params: readonly unknown[]): Buffer {
  return frameOf(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
}
