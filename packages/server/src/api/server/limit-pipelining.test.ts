import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { limitPipelining } from './limit-pipelining.ts'

let server: Server
let refused = 0
/** Requests that were read, served or not. */
let read = 0
afterEach(() => new Promise((resolve) => server.close(resolve)))

/** Some requests at once on one connection. */
async function ask(count: number, serve: (request: IncomingMessage, response: ServerResponse) => void) {
  server = createServer(serve)
  refused = 0
  read = 0
  limitPipelining(server, () => {
    refused += 1
  })
  server.prependListener('request', () => {
    read += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(numbered(1, count))
  return socket
}

function numbered(from: number, to: number): string {
  const all = Array.from({ length: to - from + 1 }, (_, index) => `GET /${from + index} HTTP/1.1\r\nhost: x\r\n\r\n`)
  return all.join('')
}

/** The numbers of the answers, in order, until there are so many or the connection ends. */
async function answersOf(socket: Socket, most = Number.POSITIVE_INFINITY): Promise<readonly number[]> {
  let text = ''
  const found = () => [...text.matchAll(/answer \/(\d+)/g)].map(([, number]) => Number(number))
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (found().length >= most) break
  }
  return found()
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const answer = ({ url }: IncomingMessage, response: ServerResponse): void => void response.end(`answer ${url}`)

test('requests are answered in order, one after the other', async () => {
  let [running, most] = [0, 0]
  const socket = await ask(10, (request, response) => {
    running += 1
    most = Math.max(most, running)
    setImmediate(() => {
      running -= 1
      answer(request, response)
    })
  })
  expect([await answersOf(socket, 10), most, refused]).toEqual([upTo(10), 1, 0])
  socket.write(numbered(11, 12))
  expect(await answersOf(socket, 2)).toEqual([11, 12])
  socket.destroy()
})

test.each(['at once', 'early'])(
  'when too many wait, none of them is served, the rest is not even read, and the connection closes with the response before them, begun %s',
  async (when) => {
    let served = 0
    const socket = await ask(1_000, (request, response) => {
      served += 1
      if (when === 'early') response.write('a part; ')
      setImmediate(() => answer(request, response))
    })
    expect(await answersOf(socket)).toEqual([1])
    expect([served, refused]).toEqual([1, 1])
    expect(read).toBeLessThan(70)
  },
)

test('when too many wait, nothing more is read while the response before them is open', async () => {
  const sockets: Socket[] = []
  const socket = await ask(80, (request) => void sockets.push(request.socket))
  socket.on('error', () => {})
  socket.write(numbered(1, 200_000))
  await expect.poll(() => refused).toBe(1)
  // While the server responds to others, it would read on.
  for (let others = 0; others < 20; others++) {
    const other = connect((server.address() as AddressInfo).port, '127.0.0.1')
    other.write(numbered(1, 1))
    await expect.poll(() => sockets.length).toBe(others + 2)
    other.destroy()
  }
  expect(sockets[0]?.bytesRead).toBeLessThan(1024 * 1024)
  for (const each of sockets) each.destroy()
})

test('some dozens are served', async () => {
  const socket = await ask(65, (request, response) => void setImmediate(() => answer(request, response)))
  expect([await answersOf(socket, 65), refused]).toEqual([upTo(65), 0])
  socket.destroy()
})

test('a client that has gone is noticed when it gets its response, and nothing else is served', async () => {
  const served: ServerResponse[] = []
  const socket = await ask(4, (_request, response) => void served.push(response))
  await expect.poll(() => served.length).toBe(1)
  const closed = once(served[0] as ServerResponse, 'close')
  socket.resetAndDestroy()
  const [gone] = served
  const write = setInterval(() => gone?.write('answer'), 5)
  await closed
  clearInterval(write)
  expect([served.length, read]).toEqual([1, 4])
})

test('a body that came with a request is read when its turn has come', async () => {
  const socket = await ask(1, async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    response.end(`answer /${text === '' ? 1 : text}`)
  })
  const post = (text: string) => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\n\r\n${text}`
  socket.write(post('2') + post('3'))
  expect(await answersOf(socket, 3)).toEqual([1, 2, 3])
  socket.destroy()
})

test('an offer of another protocol ends a connection on which responses wait; on an idle one it is passed on', async () => {
  const waiting: ServerResponse[] = []
  const socket = await ask(1, (_request, response) => void waiting.push(response))
  const offered: boolean[] = []
  server.on('upgrade', (_request, stream) => {
    offered.push(stream.destroyed)
    stream.destroy()
  })
  await expect.poll(() => waiting.length).toBe(1)
  const offer = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'
  socket.write(offer)
  await once(socket.resume(), 'close')
  expect(offered).toEqual([true])
  const next = connect((server.address() as AddressInfo).port, '127.0.0.1')
  next.write(numbered(1, 1))
  await expect.poll(() => waiting.length).toBe(2)
  waiting[1]?.end('answer /1')
  expect(await answersOf(next, 1)).toEqual([1])
  next.write(offer)
  await once(next.resume(), 'close')
  expect(offered).toEqual([true, false])
})

test('while a request waits, nothing more is read, so that a client that reads nothing is noticed', async () => {
  const served: ServerResponse[] = []
  const socket = await ask(2, (request, response) => {
    served.push(response)
    request.socket.setTimeout(50, () => request.socket.destroy())
  })
  const trickle = setInterval(() => socket.write('\r\n'), 5)
  socket.on('error', () => {})
  await new Promise((resolve) => socket.resume().once('close', resolve))
  clearInterval(trickle)
  expect(served).toHaveLength(1)
})
