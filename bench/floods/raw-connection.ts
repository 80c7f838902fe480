/** Connections by hand: a client that never reads, or never sends all that it promised, cannot be had from a library. */
import { connect, type Socket } from 'node:net'

export interface Target {
  readonly url: string
  readonly token: string
}

/** Never reads. `onGone` is called when a write shows that the other side has ended it. */
export function openUnread({ url }: Target, head: string, onGone: () => void): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.on('error', () => undefined)
  socket.on('close', onGone)
  socket.write(head)
  return socket
}

export function headOf({ url, token }: Target, line: string, more: readonly string[] = []): string {
  const { host } = new URL(url)
  return [`${line} HTTP/1.1`, `host: ${host}`, `authorization: Bearer ${token}`, ...more, '', ''].join('\r\n')
}

export function upgradeHead(target: Target): string {
  return headOf(target, 'GET /rpc', [
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
  ])
}

/** A text frame of a client, masked with zeros. `isLast` is false for all but the last part of a message. */
export function frameOf(text: string, { isFirst = true, isLast = true } = {}): Buffer {
  const payload = Buffer.from(text)
  const isLong = payload.length > 125
  const head = Buffer.alloc(isLong ? 14 : 6)
  head[0] = (isLast ? 0x80 : 0) | (isFirst ? 1 : 0)
  head[1] = 0x80 | (isLong ? 127 : payload.length)
  if (isLong) head.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([head, payload])
}
