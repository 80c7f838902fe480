/** Sends bytes to the service and gives back what came, whatever it was. */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import type { HostileRequest } from './hostile-request.ts'

export interface HostileAnswer {
  /** Null: the connection ended without one. */
  readonly status: number | null
  readonly text: string
  readonly headers: Readonly<Record<string, unknown>>
}

export interface HostileClient {
  send(hostile: HostileRequest): Promise<HostileAnswer>
  /** All that came until it was whole, the service ended the connection, or went silent. */
  sendRaw(bytes: string, isWhole?: (text: string) => boolean): Promise<string>
  close(): void
}

const SILENCE_MS = 2_000
/** Where something is sure to come. */
const LONG_SILENCE_MS = 60_000

export function createHostileClient(url: string): HostileClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 24 })
  const { hostname, port } = new URL(url)

  function send({ method, path, headers, body }: HostileRequest): Promise<HostileAnswer> {
    return new Promise((resolve) => {
      const lost = (error: Error) => resolve({ status: null, text: error.message, headers: {} })
      const call = request({ agent, hostname, port, method, path, headers }, (response) => {
        const { statusCode = null, headers: answered } = response
        const chunks: Buffer[] = []
        const end = () => resolve({ status: statusCode, text: Buffer.concat(chunks).toString(), headers: answered })
        // A stream has no end of its own.
        if (answered['content-type']?.startsWith('text/event-stream')) {
          end()
          call.destroy()
          return
        }
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', end)
        response.on('error', lost)
      })
      call.on('error', lost)
      call.end(body ?? undefined)
    })
  }

  function sendRaw(bytes: string, isWhole?: (text: string) => boolean): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname)
      let text = ''
      socket.setTimeout(isWhole === undefined ? SILENCE_MS : LONG_SILENCE_MS, () => socket.destroy())
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        if (isWhole?.(text)) socket.destroy()
      })
      // The service may end the connection while it is still written to.
      socket.on('error', (error: NodeJS.ErrnoException) => {
        text += error.code === 'ECONNRESET' || error.code === 'EPIPE' ? '' : error.message
      })
      socket.on('close', () => resolve(text))
      socket.write(Buffer.from(bytes, 'latin1'))
    })
  }

  return { send, sendRaw, close: () => agent.destroy() }
}
