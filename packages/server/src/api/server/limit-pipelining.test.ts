import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { limitPipelining } from './limit-pipelining.ts'

let server: Server
afterEach(() => new Promise((resolve) => server.close(resolve)))

let refused = 0

/** Some requests at once on one connection. */
async function ask(count: number, serve: (request: IncomingMessage, response: ServerResponse) => void) {
  server = createServer(serve)
  refused = 0
  limitPipelining(server, () => {
    refused += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(Array.from({ length: count }, (_, index) => `GET /${index + 1} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''))
  return socket
}

const askFour = (serve: (request: IncomingMessage, response: ServerResponse) => void) => ask(4, serve)

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

test('a connection on which too many wait is closed, and the rest of what it sent is not even read', async () => {
  let [read, served] = [0, 0]
  const asked = ask(1_000, () => {
    served += 1
  })
  server.prependListener('request', () => {
    read += 1
  })
  const socket = await asked
  await once(socket.resume(), 'close')
  expect([read, served, refused]).toEqual([18, 17, 1])
})

test('some behind the first are served, and so are more later', async () => {
  const responses: ServerResponse[] = []
  const socket = await ask(17, (_request, response) => void responses.push(response))
  socket.setEncoding('utf8')
  let text = ''
  const answered = async (count: number): Promise<void> => {
    for (const response of responses.splice(0)) response.end('answer')
    while ((text.match(/answer/g) ?? []).length < count) text += (await once(socket, 'data')) as unknown as string
  }
  await expect.poll(() => responses.length).toBe(17)
  await answered(17)
  socket.write('GET /18 HTTP/1.1\r\nhost: x\r\n\r\n')
  await expect.poll(() => responses.length).toBe(1)
  await answered(18)
  socket.destroy()
  expect(refused).toBe(0)
})
