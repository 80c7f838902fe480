import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTestApi } from '../../testing/api/create-test-api.ts'
import { ROUTES } from '../routes.ts'
import { listen } from './listen.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

async function post(payload: string | Buffer, headers: Record<string, string> = JSON_TYPE) {
  const { server } = await createTestApi()
  return server.inject({ method: 'POST', url: '/v1/transactions', payload, headers })
}

describe('requests that never reach a route', () => {
  test.each([
    ['malformed JSON', '{"from":', JSON_TYPE, 400, 'invalid_request', /not valid JSON/],
    ['an empty body', '', JSON_TYPE, 400, 'invalid_request', /empty/],
    ['a poisoned prototype', '{"__proto__":{"x":1}}', JSON_TYPE, 400, 'invalid_request', /not valid JSON/],
    ['plain text', '{}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type', /application\/json/],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type', /JSON/],
    ['too much', `"${'x'.repeat(1024 * 1024)}"`, JSON_TYPE, 413, 'payload_too_large', /1 MiB/],
    ['too many fields', `{${'"a":1,'.repeat(100_000)}"a":1}`, JSON_TYPE, 413, 'payload_too_large', /100000 fields/],
  ])('%s', async (_, payload, headers, status, code, detail) => {
    const reply = await post(payload, headers)
    expect(reply.statusCode).toBe(status)
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(reply.json()).toMatchObject({ status, code, detail: expect.stringMatching(detail) })
    expect(reply.body).not.toMatch(/FST_|fastify|node_modules/i)
  })

  test('a path part longer than any id', async () => {
    const { server } = await createTestApi()
    const url = `/v1/transactions/${'9'.repeat(500)}/cancel`
    const reply = await server.inject({ method: 'POST', url, payload: { reason: 'x' } })
    expect([reply.statusCode, reply.json().code]).toEqual([404, 'not_found'])
  })

  test('a path that does not exist', async () => {
    const { server } = await createTestApi()
    for (const url of [
      '/v1/nothing',
      '/v2/transactions',
      '/v1/transactions/a/b/c',
      `/v1/transactions/${'9'.repeat(500)}`,
    ]) {
      const reply = await server.inject(url)
      expect([url, reply.statusCode, reply.json().code]).toEqual([url, 404, 'not_found'])
    }
  })

  test('a method that a path does not have', async () => {
    const { server } = await createTestApi()
    const reply = await server.inject({ method: 'DELETE', url: '/v1/transactions?x=1' })
    expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'POST, GET, HEAD'])
    expect(reply.json().code).toBe('method_not_allowed')
    const one = await server.inject({ method: 'PUT', url: '/v1/transactions/17' })
    expect([one.statusCode, one.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  test('a malformed URL', async () => {
    const { server } = await createTestApi()
    const reply = await server.inject('/v1/transactions/%zz')
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ code: 'invalid_request', detail: 'The URL is malformed.' })
  })
})

test('a bug is logged in full, and the answer shows nothing of it', async () => {
  const listNodes = async () => {
    throw new Error('password=hunter2 in /srv/app')
  }
  const { server, telemetry } = await createTestApi({ services: { listNodes } })
  const reply = await server.inject('/v1/nodes')
  expect([reply.statusCode, reply.json().code]).toEqual([500, 'internal'])
  expect(reply.body).not.toContain('hunter2')
  expect(telemetry.logs).toMatchObject([{ level: 'error', fields: { stack: expect.stringContaining('hunter2') } }])
})

test('HEAD is GET without a body, and a trailing slash changes nothing', async () => {
  const { server } = await createTestApi()
  for (const url of ['/v1/signers', '/healthz', '/docs', '/openapi.json']) {
    const [full, head, slash] = await Promise.all([
      server.inject(url),
      server.inject({ method: 'HEAD', url }),
      server.inject(`${url}/`),
    ])
    expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([200, '', full.headers['content-type']])
    expect(head.headers['content-length']).toBe(full.headers['content-length'])
    expect([slash.statusCode, slash.body]).toEqual([200, full.body])
  }
  const missing = await server.inject({ method: 'HEAD', url: '/v1/nothing' })
  expect([missing.statusCode, missing.body]).toEqual([404, ''])
})

test('every answer carries the security headers and is counted by its pattern', async () => {
  const { server, telemetry } = await createTestApi()
  for (const url of ['/healthz', '/v1/nothing', '/v1/transactions/17']) {
    const { headers } = await server.inject(url)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    })
  }
  const labels = { method: 'GET', route: '/v1/transactions/:id', status: 400 }
  expect(telemetry.valueOf('drover_http_requests_total', labels)).toBe(1)
})

test('a port that is used by another program is named', async () => {
  const [first, second] = [await createTestApi(), await createTestApi()]
  const url = new URL(await listen(first.server, { host: '127.0.0.1', port: 0 }))
  try {
    const taken = listen(second.server, { host: '127.0.0.1', port: Number(url.port) })
    await expect(taken).rejects.toThrow(`port ${url.port} on 127.0.0.1 is used by another program`)
    expect((await fetch(new URL('/healthz', url))).status).toBe(200)
  } finally {
    await Promise.all([first.server.close(), second.server.close()])
  }
})

test.each([
  ['garbage', 'hello\r\n\r\n', 400, 'invalid_request', /not a valid HTTP request/],
  ['endless headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large', /16 KiB/],
])('%s on the wire is answered with a problem, and the connection ends', async (_, bytes, status, code, detail) => {
  const { server } = await createTestApi()
  const { hostname, port } = new URL(await listen(server, { host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), hostname)
  socket.end(bytes)
  const answer = await text(socket)
  await server.close()
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({
    status,
    code,
    detail: expect.stringMatching(detail),
  })
})

describe('the web page', () => {
  const folders: string[] = []
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
  })

  async function createPage() {
    const parent = await mkdtemp(join(tmpdir(), 'drover-page-'))
    folders.push(parent)
    const dir = join(parent, 'dist')
    await mkdir(join(dir, 'assets'), { recursive: true })
    await writeFile(join(parent, 'secret.json'), '{"secret":true}')
    await writeFile(join(dir, 'index.html'), '<!doctype html><title>page</title>')
    await writeFile(join(dir, 'assets', 'app-1a2b3c.js'), 'export {}')
    await writeFile(join(dir, 'notes.secret'), 'not for the web')
    await symlink(join(parent, 'secret.json'), join(dir, 'link.json'))
    return createTestApi({ services: { dashboardDir: dir } })
  }

  test('the page is never cached; its hashed files are', async () => {
    const { server } = await createPage()
    const page = await server.inject('/')
    expect([page.statusCode, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      ...[200, 'text/html; charset=utf-8', 'no-cache'],
    ])
    expect(page.body).toContain('<title>page</title>')
    expect(page.headers['content-security-policy']).toContain("default-src 'self'")
    const script = await server.inject('/assets/app-1a2b3c.js')
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  })

  test.each([
    ['/../secret.json'],
    ['/%2e%2e/secret.json'],
    ['/..%2fsecret.json'],
    ['/assets/..%2f..%2fsecret.json'],
    ['/%2e%2e%5csecret.json'],
    ['/link.json'],
    ['/notes.secret'],
    ['/assets'],
    ['/assets/none.js'],
    ['/index.html%00.js'],
  ])('%s is not there', async (url) => {
    const { server } = await createPage()
    const reply = await server.inject(url)
    expect(reply.statusCode).toBe(404)
    expect(reply.body).not.toContain('secret":true')
  })

  test.each([[null], ['/nowhere/at/all']])('not built (%s): says how', async (dashboardDir) => {
    const { server } = await createTestApi({ services: { dashboardDir } })
    const reply = await server.inject('/')
    expect(reply.statusCode).toBe(200)
    expect(reply.body).toContain('npm run build -w packages/dashboard')
  })
})

test('what takes long to build is built before the first request', async () => {
  const { server } = await createTestApi()
  const prepared = ROUTES.filter(({ prepare }) => prepare !== undefined)
  expect(prepared.map(({ path }) => path)).toEqual(['/openapi.json', '/docs'])
  const builds = prepared.map((route) => vi.spyOn(route, 'prepare'))
  await server.listen({ host: '127.0.0.1', port: 0 })
  for (const build of builds) expect(build).toHaveBeenCalled()
  await server.close()
})
