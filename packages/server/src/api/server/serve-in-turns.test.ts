import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ConnectionTurns } from './connection-turns.ts'
import { networkOf, serveInTurns } from './serve-in-turns.ts'

/** Turns that come when the test says so. */
function createHeldTurns() {
  const waiting: (() => void)[] = []
  const lines: string[] = []
  const turns: ConnectionTurns = {
    enter: ({ group, name }, { start }) => {
      lines.push(`${group} ${name}`.trim())
      waiting.push(start)
      return () => void waiting.splice(waiting.indexOf(start), 1)
    },
    close: () => {},
  }
  return { turns, waiting, lines }
}

const AT_ONCE: ConnectionTurns = {
  enter: (_, { start }) => {
    start()
    return () => {}
  },
  close: () => {},
}

async function count(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let bytes = 0
  for await (const chunk of request) bytes += chunk.length
  response.end(`got ${bytes}`)
}

let server: Server
let port: number

async function listen(turns: Partial<Parameters<typeof serveInTurns>[1]>, serve = count): Promise<() => void> {
  server = createServer(serve)
  const endSilent = serveInTurns(server, { begins: AT_ONCE, ends: AT_ONCE, recognize: () => null, ...turns })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  return endSilent
}

afterEach(() => new Promise((resolve) => server.close(resolve)))

function ask(bytes: number, more = ''): Promise<string> {
  const head = `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${more}content-length: ${bytes}\r\n\r\n`
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(head + 'x'.repeat(bytes)))
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
  })
}

/** Resolves when it is closed. */
function open(how: (socket: Socket) => void): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => how(socket))
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.resume()
  })
}

describe('connections that begin', () => {
  let begins: ReturnType<typeof createHeldTurns>
  let endSilent: () => void

  beforeEach(async () => {
    begins = createHeldTurns()
    const recognize = (authorization: string) => (authorization === 'Bearer drv_a' ? 'acme' : null)
    endSilent = await listen({ begins: begins.turns, recognize })
  })

  test('get their answers in their turn, whatever has arrived by then', async () => {
    const sizes = [0, 1, 1_000, 1_000_000]
    const answers = sizes.map((bytes) => ask(bytes))
    await expect.poll(() => begins.waiting.length).toBe(sizes.length)
    for (const begin of begins.waiting) begin()
    for (const [index, answer] of (await Promise.all(answers)).entries())
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 200.*got ${sizes[index]}`, 's'))
  })

  test('wait in the line of their tenant, or of their address if nobody knows them', async () => {
    const keys = [
      '',
      'Authorization: Bearer drv_a\r\n',
      'authorization:Bearer drv_a \r\n',
      'authorization: Bearer b\r\n',
    ]
    const answers: Promise<string>[] = []
    for (const [index, key] of keys.entries()) {
      answers.push(ask(5, key))
      await expect.poll(() => begins.waiting.length).toBe(index + 1)
    }
    expect(begins.lines).toEqual(['network 127.0.0.1', 'tenant acme', 'tenant acme', 'network 127.0.0.1'])
    for (const begin of begins.waiting) begin()
    await Promise.all(answers)
  })

  test('are put in line without effort, whatever they send', async () => {
    const socket = connect(port, '127.0.0.1')
    const startedAt = process.cpuUsage()
    socket.write(`GET / HTTP/1.1${'\r\nauthorization:'.repeat(50)}${' '.repeat(60_000)}`)
    await expect.poll(() => begins.waiting.length).toBe(1)
    const { user } = process.cpuUsage(startedAt)
    expect(begins.lines).toEqual(['network 127.0.0.1'])
    // It took hundreds of milliseconds with a pattern that tries every way to divide the spaces.
    expect(user).toBeLessThan(400_000)
    begins.waiting[0]?.()
    socket.destroy()
  })

  test('may end or break before their turn', async () => {
    await Promise.all([open((socket) => socket.end()), open((socket) => socket.resetAndDestroy())])
    for (const leave of [(socket: Socket) => socket.resetAndDestroy(), (socket: Socket) => socket.destroy()]) {
      const gone = open(async (socket) => {
        socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
        await expect.poll(() => begins.waiting.length).toBe(1)
        leave(socket)
      })
      await gone
      await expect.poll(() => begins.waiting.length).toBe(0)
    }
    const answer = ask(5)
    await expect.poll(() => begins.waiting.length).toBe(1)
    begins.waiting[0]?.()
    expect(await answer).toContain('got 5')
  })

  test('have a line of their own if they ask for the health of the node', async () => {
    const asked = [
      'GET /healthz HTTP/1.1',
      'HEAD /readyz?x=1 HTTP/1.1',
      'GET /healthzz HTTP/1.1',
      'POST /readyz HTTP/1.1',
    ]
    const sockets: Socket[] = []
    for (const [index, line] of asked.entries()) {
      const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\nhost: x\r\n\r\n`))
      sockets.push(socket)
      await expect.poll(() => begins.lines.length).toBe(index + 1)
    }
    expect(begins.lines).toEqual(['health 127.0.0.1', 'health 127.0.0.1', 'network 127.0.0.1', 'network 127.0.0.1'])
    for (const begin of begins.waiting) begin()
    for (const socket of sockets) socket.destroy()
  })

  test('wait as long as it takes, once they have sent something', async () => {
    server.headersTimeout = 50
    const answer = ask(5)
    await expect.poll(() => begins.waiting.length).toBe(1)
    await open(() => {})
    begins.waiting[0]?.()
    expect(await answer).toContain('got 5')
  })

  test('are not counted as new when the server gives them back', async () => {
    const answer = ask(5)
    await expect.poll(() => begins.waiting.length).toBe(1)
    const [socket] = await new Promise<[Socket]>((resolve) => {
      server.once('request', (request: IncomingMessage) => resolve([request.socket]))
      begins.waiting[0]?.()
    })
    const { emit, destroy } = socket
    server.emit('connection', socket)
    expect([begins.lines.length, socket.emit === emit, socket.destroy === destroy]).toEqual([1, true, true])
    await answer
  })

  test('are ended if too many wait', async () => {
    begins.turns.enter = (_, { refuse }) => {
      refuse?.()
      return () => {}
    }
    expect(await ask(5)).toBe('')
  })

  test('are ended when the server stops, if they have sent nothing', async () => {
    const arrived = once(server, 'connection')
    const silent = open(() => {})
    await arrived
    endSilent()
    await silent
  })

  test('are ended if they stay silent for as long as headers may take', async () => {
    server.headersTimeout = 50
    await open(() => {})
  })
})

const LATER: ConnectionTurns = {
  enter: (_, { start }) => {
    const timer = setTimeout(start, 10)
    return () => clearTimeout(timer)
  },
  close: () => {},
}

test.each([
  ['at once', AT_ONCE],
  ['later', LATER],
])('a body that nobody reads yet stays with its client, if the connection begins %s', async (_, begins) => {
  const arrived: IncomingMessage[] = []
  await listen({ begins }, async (request) => void arrived.push(request))
  const bytes = 16 * 1024 * 1024
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`)
  await expect.poll(() => arrived.length).toBe(1)
  // Other clients are served meanwhile: whatever the server reads by itself, it has read by then.
  for (let times = 0; times < 20; times++) {
    const other = ask(1)
    await expect.poll(() => arrived.length).toBe(times + 2)
    arrived[times + 1]?.socket.destroy()
    await other
  }
  const first = arrived[0]?.socket
  expect(first?.bytesRead).toBeLessThan(1024 * 1024)
  // It reads nothing, so it does not notice that its client has gone.
  first?.destroy()
  socket.destroy()
})

describe('connections that end', () => {
  const closed: string[] = []
  let ends: ReturnType<typeof createHeldTurns>

  beforeEach(async () => {
    ends = createHeldTurns()
    closed.length = 0
    await listen({ ends: ends.turns }, async (_, response) => {
      response.write('first')
      response.on('close', () => closed.push('response'))
    })
  })

  test('before they began, too', async () => {
    const arrived = once(server, 'connection')
    const gone = open((socket) => socket.resetAndDestroy())
    const [socket] = (await arrived) as [Socket]
    await gone
    await expect.poll(() => ends.waiting.length).toBe(1)
    expect(socket.destroyed).toBe(false)
    ends.waiting[0]?.()
    expect(socket.destroyed).toBe(true)
  })

  test.each<[string, (socket: Socket) => unknown]>([
    ['in order', (socket) => socket.end()],
    ['by force', (socket) => socket.resetAndDestroy()],
  ])('%s are noticed in their turn', async (_, end) => {
    const gone = open((socket) => {
      socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      socket.once('data', () => end(socket))
    })
    await expect.poll(() => ends.waiting.length).toBe(1)
    expect([closed, ends.lines]).toEqual([[], ['network 127.0.0.1']])
    ends.waiting[0]?.()
    await gone
    await expect.poll(() => closed).toEqual(['response'])
    expect(ends.waiting.length).toBe(1)
  })
})

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2a01:4f8::9:2:3:4', '2a01:4f8:0:0'],
  ['fe80::1', 'fe80:0:0:0'],
  ['::1', '0:0:0:0'],
])('%s counts as %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
