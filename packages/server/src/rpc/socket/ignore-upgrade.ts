/**
 * Serves a request as if it had not offered to change the protocol. Java's HTTP client and `curl --http2` offer h2c
 * with every request; HTTP lets a server ignore that, but once there is a WebSocket listener, Node hands over every
 * connection with an offer, whatever is offered. So the request is put back without the offer, and read again.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

const OFFER = ['upgrade', 'http2-settings']

export function ignoreUpgrade(server: Server, request: IncomingMessage, stream: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let place = 0; place < request.rawHeaders.length; place += 2) {
    const [name = '', value = ''] = request.rawHeaders.slice(place, place + 2)
    if (name.toLowerCase() === 'connection') lines.push(`${name}: ${withoutOffer(value)}`)
    else if (!OFFER.includes(name.toLowerCase())) lines.push(`${name}: ${value}`)
  }
  // As they came: headers are bytes.
  stream.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]))
  server.emit('connection', stream)
}

function withoutOffer(connection: string): string {
  const options = connection.split(',').map((option) => option.trim())
  return options.filter((option) => !OFFER.includes(option.toLowerCase())).join(', ')
}
