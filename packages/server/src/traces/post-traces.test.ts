import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createPostTraces } from './post-traces.ts'

async function openCollector(status: number) {
  const server = createServer((_, response) =>
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('no'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces?token=secret`
}

test.each([
  [200, { type: 'sent' }],
  [400, { type: 'refused', why: 'HTTP 400' }],
  [429, { type: 'failed', why: 'HTTP 429' }],
  [503, { type: 'failed', why: 'HTTP 503' }],
])('an answer of %i', async (status, expected) => {
  expect(await createPostTraces(await openCollector(status), 'node-a')([])).toEqual(expected)
})

test('a redirect is not followed', async () => {
  expect(await createPostTraces(await openCollector(307), 'node-a')([])).toMatchObject({ type: 'failed' })
})

test('a collector that is away is named by its error code, without the URL', async () => {
  const post = createPostTraces('http://127.0.0.1:1/v1/traces?token=secret', 'node-a')
  const answer = await post([])
  expect(answer).toMatchObject({ type: 'failed' })
  expect(JSON.stringify(answer)).not.toContain('secret')
})
