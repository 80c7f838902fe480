/** One connection to the service that sends prepared bytes, so that the caller uses as little CPU as possible. */
import { connect, type Socket } from 'node:net'

export interface HttpLine {
  /** Returns the status of the answer; of a batch, 429 if any of its items has it. One request at a time. */
  post(path: string, body: string): Promise<number>
  close(): void
}

export function openLine({ url, token }: { readonly url: string; readonly token: string }): HttpLine {
  const { hostname, port, host } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let answered: { resolve(status: number): void; reject(error: Error): void } | null = null
  let received = ''

  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
    const end = received.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, end + 2))?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) throw new Error('an answer without content-length')
    if (received.length < end + 4 + length) return
    const status = received.includes('"status":429', end) ? 429 : Number(received.slice(9, 12))
    received = ''
    answered?.resolve(status)
  })
  socket.on('error', (error) => answered?.reject(error))
  socket.on('close', () => answered?.reject(new Error('the service closed the connection')))

  return {
    post: (path, body) =>
      new Promise((resolve, reject) => {
        answered = { resolve, reject }
        const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`
        socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
      }),
    close: () => {
      answered = null
      socket.destroy()
    },
  }
}
