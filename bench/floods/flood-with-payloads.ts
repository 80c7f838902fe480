/** Bodies as large as they may be and larger, whole, in chunks, and never finished; and such messages over WebSockets. */
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FloodOrder, FloodTally } from './flood-report.ts'
import { frameOf, headOf, openUnread, upgradeHead } from './raw-connection.ts'

const MEBIBYTE = 1024 * 1024
const AT_ONCE = 8
const UNFINISHED = 200
const ANSWER_MS = 60_000

export function floodWithPayloads(order: FloodOrder, tally: FloodTally): () => Promise<void> {
  let isOver = false
  const open = new Set<Socket>()
  const json = 'content-type: application/json'
  const largest = junk(MEBIBYTE)
  const largestBatch = `{"transactions":[${junk(8 * MEBIBYTE - 20)}]}`
  const tooLarge = junk(MEBIBYTE + 1)

  async function repeat(what: string, line: string, headers: readonly string[], body: string): Promise<void> {
    while (!isOver) {
      const status = await exchange(order, headOf(order, line, [json, ...headers]) + body, open)
      // The end of the flood breaks what is open.
      if (!isOver) tally.refuse(`${what}: ${status}`)
      await pause(5)
    }
  }

  const whole = (body: string) => [`content-length: ${body.length}`]
  const chunk = `${(256 * 1024).toString(16)}\r\n${'x'.repeat(256 * 1024)}\r\n`
  const running = Array.from({ length: AT_ONCE }, () => [
    repeat('1 MiB', 'POST /v1/transactions', whole(largest), largest),
    repeat('8 MiB batch', 'POST /v1/transactions/batch', whole(largestBatch), largestBatch),
    repeat('1 byte too long', 'POST /v1/transactions', whole(tooLarge), tooLarge),
    repeat('says 1 GiB', 'POST /v1/transactions', [`content-length: ${1024 * MEBIBYTE}`], 'x'.repeat(MEBIBYTE)),
    repeat('endless chunks', 'POST /v1/transactions', ['transfer-encoding: chunked'], chunk.repeat(16)),
  ]).flat()
  for (let index = 0; index < UNFINISHED; index++) openUnfinished(order, open, () => isOver)

  return async () => {
    isOver = true
    for (const socket of open) socket.destroy()
    await Promise.all(running)
  }
}

/** Alternates between a request and a WebSocket message of which all but the last byte is sent. */
function openUnfinished(order: FloodOrder, open: Set<Socket>, isOver: () => boolean): void {
  const isSocket = open.size % 2 === 0
  const head = headOf(order, 'POST /v1/transactions', ['content-type: application/json', `content-length: ${MEBIBYTE}`])
  const socket = openUnread(order, isSocket ? upgradeHead(order) : head, () => {
    open.delete(socket)
    if (!isOver()) setTimeout(() => openUnfinished(order, open, isOver), 100)
  })
  open.add(socket)
  const message = frameOf('x'.repeat(4 * MEBIBYTE - 1))
  socket.write(isSocket ? message.subarray(0, -1) : 'x'.repeat(MEBIBYTE - 1))
}

/** The status of the answer, or how the connection ended without one. */
function exchange({ url }: FloodOrder, bytes: string, open: Set<Socket>): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    open.add(socket)
    let told = 'closed without an answer'
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('no answer')))
    socket.on('data', (chunk: Buffer) => {
      told = `${/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? told} ${/"code":"(\w+)"/.exec(chunk.toString())?.[1] ?? ''}`
      socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      open.delete(socket)
      resolve(told)
    })
    socket.write(bytes)
  })
}

/** An object with many unknown fields, of this many bytes. */
function junk(bytes: number): string {
  const fields: string[] = []
  let size = 2
  for (let index = 0; size < bytes - 40; index++) {
    const field = `"k${index}":${index}`
    fields.push(field)
    size += field.length + 1
  }
  const text = `{${fields.join(',')}}`
  return `${text.slice(0, -1)}${' '.repeat(bytes - text.length)}}`
}
