import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { beginInTurns, createConnectionTurns, networkOf } from './connection-turns.ts'

const BURST = 16

function setUp() {
  const clock = createManualClock()
  const turns = createConnectionTurns(clock)
  const begun: string[] = []
  const open = (address: string, times = 1): (() => void)[] =>
    Array.from({ length: times }, () => turns.enter(address, () => begun.push(address)))
  return { clock, turns, begun, open }
}

describe('new connections', () => {
  test('a few begin at once, the others one per millisecond', async () => {
    const { clock, begun, open } = setUp()
    open('a', BURST + 5)
    expect(begun.length).toBe(BURST)
    await clock.advance(1)
    expect(begun.length).toBe(BURST + 1)
    await clock.advance(10)
    expect(begun.length).toBe(BURST + 5)
    // After a pause there is room again.
    await clock.advance(1_000)
    open('a', BURST)
    expect(begun.length).toBe(BURST + 5 + BURST)
  })

  test('addresses take turns', async () => {
    const { clock, begun, open } = setUp()
    open('flood', BURST + 1_000)
    begun.length = 0
    open('other', 2)
    await clock.advance(4)
    expect(begun.filter((address) => address === 'other').length).toBe(2)
    expect(begun.length).toBe(4)
  })

  test('if too many wait, the next begin at once, and the line moves on', async () => {
    const { clock, begun, open } = setUp()
    open('a', BURST + 2_000)
    expect(begun.length).toBe(BURST)
    open('b')
    expect(begun.length).toBe(BURST + 1)
    await clock.advance(1)
    expect(begun.length).toBe(BURST + 2)
  })

  test('one that has gone takes no turn', async () => {
    const { clock, begun, open } = setUp()
    const gone = open('a', BURST + 100)
    for (const leave of gone) leave()
    open('b')
    await clock.advance(1)
    expect(begun.slice(BURST)).toEqual(['b'])
  })

  test('all begin when the server stops', () => {
    const { turns, begun, open } = setUp()
    open('a', BURST + 50)
    open('b', 50)
    turns.close()
    expect(begun.length).toBe(BURST + 100)
  })
})

describe('a real server', () => {
  const waiting: (() => void)[] = []
  const server = createServer(async (request, response) => {
    let bytes = 0
    for await (const chunk of request) bytes += chunk.length
    response.end(`got ${bytes}`)
  })
  const endSilent = beginInTurns(server, {
    enter: (_, begin) => {
      waiting.push(begin)
      return () => void waiting.splice(waiting.indexOf(begin), 1)
    },
    close: () => {},
  })
  let port = 0

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterEach(() => waiting.splice(0))
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  function ask(bytes: number): Promise<string> {
    const head = `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${bytes}\r\n\r\n`
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(head + 'x'.repeat(bytes)))
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text))
    })
  }

  test('answers on every connection in its turn, whatever has arrived by then', async () => {
    const sizes = [0, 1, 1_000, 1_000_000]
    const answers = sizes.map(ask)
    await expect.poll(() => waiting.length).toBe(sizes.length)
    for (const begin of waiting) begin()
    for (const [index, answer] of (await Promise.all(answers)).entries())
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 200.*got ${sizes[index]}`, 's'))
  })

  function open(how: (socket: Socket) => void): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => how(socket))
      socket.on('error', () => {})
      socket.on('close', () => resolve())
      socket.resume()
    })
  }

  test('outlives connections that end or break before their turn', async () => {
    await Promise.all([open((socket) => socket.end()), open((socket) => socket.resetAndDestroy())])
    const broken = open(async (socket) => {
      socket.write('GET')
      await expect.poll(() => waiting.length).toBe(1)
      socket.resetAndDestroy()
    })
    await broken
    await expect.poll(() => waiting.length).toBe(0)
    const answer = ask(5)
    await expect.poll(() => waiting.length).toBe(1)
    waiting[0]?.()
    expect(await answer).toContain('got 5')
  })

  test('ends connections that have sent nothing when it stops', async () => {
    const arrived = once(server, 'connection')
    const silent = open(() => {})
    await arrived
    endSilent()
    await silent
  })

  test('ends a connection that stays silent for as long as headers may take', async () => {
    const { headersTimeout } = server
    server.headersTimeout = 50
    await open(() => {})
    server.headersTimeout = headersTimeout
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
