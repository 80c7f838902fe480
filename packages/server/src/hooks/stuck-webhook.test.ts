import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { StuckQuestion } from '../ports/stuck-hook.ts'
import { signWebhook } from './sign-webhook.ts'
import { createStuckWebhook } from './stuck-webhook.ts'

const QUESTION: StuckQuestion = {
  transactionId: 'tx',
  chainId: 1,
  from: `0x${'11'.repeat(20)}`,
  to: null,
  nonce: 3,
  hashes: [],
  cause: 'no_inclusion',
  message: 'not in any block',
  stuckSince: '2030-01-01T00:00:00.000Z',
  requestId: null,
  metadata: {},
  allowed: ['retry'],
}
const NOW = Date.UTC(2030, 0, 1)
const clock = { now: () => NOW, monotonic: () => 0, schedule: () => () => {} }
const random = { id: () => 'msg-1', fraction: () => 0 }

let server: Server | null = null

afterEach(() => {
  server?.close()
  server?.closeAllConnections()
})

async function serve(answer: { readonly status?: number; readonly body: string }) {
  const seen: { headers: NodeJS.Dict<string | string[]>; body: string }[] = []
  server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    request.on('end', () => {
      seen.push({ headers: request.headers, body })
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const hook = createStuckWebhook({
    url: `http://127.0.0.1:${port}/ask?key=hidden`,
    secret: 'whsec_c2VjcmV0',
    clock,
    random,
  })
  return { hook, seen }
}

test('the question is posted with a signature that its owner can check, and the answer is the decision', async () => {
  const { hook, seen } = await serve({ body: '{"action":"retry","reason":"the node was upgraded"}' })
  expect(await hook.decide(QUESTION)).toEqual({ action: 'retry', reason: 'the node was upgraded' })
  const [request] = seen
  expect(JSON.parse(request?.body ?? '')).toMatchObject({ type: 'transaction.stuck', data: QUESTION })
  const signed = `msg-1.${NOW / 1_000}.${request?.body}`
  const expected = createHmac('sha256', Buffer.from('secret')).update(signed).digest('base64')
  expect(request?.headers).toMatchObject({
    'webhook-id': 'msg-1',
    'webhook-timestamp': String(NOW / 1_000),
    'webhook-signature': `v1,${expected}`,
  })
})

test('a refusal, another status or nonsense is an error that does not show the URL', async () => {
  const { hook } = await serve({ status: 503, body: '{"action":"wait"}' })
  await expect(hook.decide(QUESTION)).rejects.toThrow('answered 503')
  await expect(hook.decide(QUESTION)).rejects.not.toThrow('hidden')
  server?.close()
  const nonsense = await serve({ body: '<html>' })
  await expect(nonsense.hook.decide(QUESTION)).rejects.toThrow()
})

test('a secret may be plain text', () => {
  const expected = createHmac('sha256', 'plain').update('a.1.b').digest('base64')
  expect(signWebhook('plain', 'a', 1_000, 'b')['webhook-signature']).toBe(`v1,${expected}`)
})
