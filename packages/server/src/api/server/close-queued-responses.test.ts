import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { closeQueuedResponses } from './close-queued-responses.ts'

let server: Server
afterEach(() => new Promise((resolve) => server.close(resolve)))

/** Four requests at once on one connection. */
async function askFour(serve: (request: IncomingMessage, response: ServerResponse) => void) {
  server = createServer(serve)
  closeQueuedResponses(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  for (let index = 1; index <= 4; index++) socket.write(`GET /${index} HTTP/1.1\r\nhost: x\r\n\r\n`)
  return socket
}

test('a client that goes closes all its responses, once each, whether their turn had come or not', async () => {
  const [asked, closed]: [ServerResponse[], string[]] = [[], []]
  const socket = await askFour(({ url = '' }, response) => {
    asked.push(response)
    response.on('close', () => closed.push(url))
  })
  await expect.poll(() => asked.length).toBe(4)
  // The second has its turn by now.
  asked[0]?.end('first')
  await once(socket, 'data')
  await expect.poll(() => closed).toEqual(['/1'])
  socket.resetAndDestroy()
  await expect.poll(() => [...closed].sort()).toEqual(['/1', '/2', '/3', '/4'])
  expect(asked.every(({ destroyed }) => destroyed)).toBe(true)
})

test('responses in order are sent as usual', async () => {
  const socket = await askFour(({ url }, response) => void response.end(`answer ${url}`))
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    if (text.includes('answer /4')) break
  }
  expect(text.match(/answer \/\d/g)).toEqual(['answer /1', 'answer /2', 'answer /3', 'answer /4'])
})
