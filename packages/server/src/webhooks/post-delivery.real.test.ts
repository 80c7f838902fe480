import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createPoster, parseRetryAfter } from './post-delivery.ts'
import { createGuardedLookup, findTargetProblem, type Resolve } from './webhook-target.ts'

const NOW = Date.UTC(2030, 0, 1)
const never = new AbortController().signal
const stops: (() => unknown)[] = []

afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  stops.push(
    () => server.close(),
    () => server.closeAllConnections(),
  )
  return listen(server)
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function open(options: Partial<Parameters<typeof createPoster>[0]> = {}) {
  const poster = createPoster({ allowPrivate: true, timeoutMs: 30_000, now: () => NOW, ...options })
  stops.push(poster.close)
  return poster
}

/** A name that resolves to whatever comes next in the list; the last one stays. */
function resolving(...answers: readonly string[][]): Resolve {
  let calls = 0
  return (_hostname, callback) => {
    const addresses = answers[Math.min(calls++, answers.length - 1)] ?? []
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

describe('what comes back', () => {
  test('status, the first bytes, and how long to wait', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(503, { 'retry-after': '7' }).end('y'.repeat(10_000))
    })
    const posted = await open().post(url, {}, '{}', never)
    expect(posted).toMatchObject({ status: 503, error: 'answered 503', retryAfterMs: 7_000 })
    expect(posted.response).toBe('y'.repeat(512))
  })

  test('an answer without end is not read to its end', async () => {
    const url = await serve((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write('z'.repeat(16_384)));
      }
      response.on('drain', more)
      more()
    })
    expect(await open({ timeoutMs: 30_000 }).post(url, {}, '{}', never)).toMatchObject({ status: 200, error: null })
  })

  test('a redirect is not followed', async () => {
    let calls = 0
    const url = await serve((_request, response) => {
      calls += 1
      response.writeHead(307, { location: '/' }).end()
    })
    expect((await open().post(url, {}, '{}', never)).error).toContain('redirects are not followed')
    expect(calls).toBe(1)
  })

  test('silence, a closed port, and what is not HTTP', async () => {
    const silent = await serve(() => {})
    expect((await open({ timeoutMs: 50 }).post(silent, {}, '{}', never)).error).toBe('no answer within 50 ms')
    expect((await open().post('http://127.0.0.1:1/', {}, '{}', never)).error).toContain('ECONNREFUSED')
    const babble = createTcpServer((socket) => socket.on('error', () => {}).end('hello\r\n\r\n'))
    stops.push(() => babble.close())
    const posted = await open().post(await listen(babble), {}, '{}', never)
    expect([posted.status, posted.error]).toEqual([null, expect.stringContaining('Parse Error')])
  })

  test('it ends when it is told to', async () => {
    const controller = new AbortController()
    const url = await serve(() => controller.abort())
    expect((await open({ timeoutMs: 30_000 }).post(url, {}, '{}', controller.signal)).status).toBe(null)
  })

  test.each([
    ['5', 5_000],
    [new Date(NOW + 9_000).toUTCString(), 9_000],
    [new Date(NOW - 9_000).toUTCString(), 0],
    ['soon', null],
    ['-1', null],
    [undefined, null],
  ])('Retry-After %s', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected)
  })
})

describe('private targets', () => {
  const strict = { allowPrivate: false }

  test.each([
    ['http://example.com/', 'https'],
    ['ftp://example.com/', 'https'],
    ['https://me:secret@example.com/', 'user name or password'],
    ['https://example.com/#part', 'fragment'],
    ['https://127.0.0.1/', 'not public'],
    ['https://2130706433/', 'not public'],
    ['https://0177.0.0.1/', 'not public'],
    ['https://127.1/', 'not public'],
    ['https://[::1]/', 'not public'],
    ['https://[::ffff:10.0.0.1]/', 'not public'],
    ['https://[64:ff9b::a9fe:a9fe]/', 'not public'],
    ['https://169.254.169.254/latest/meta-data/', 'not public'],
    ['https://0/', 'not public'],
    ['https://localhost/', 'not public'],
    ['https://nowhere.invalid/', 'cannot be resolved'],
  ])('%s is refused', async (url, words) => {
    expect(await findTargetProblem(new URL(url), strict)).toContain(words)
  })

  test('one private address among public ones is enough', async () => {
    const resolve = resolving(['93.184.216.34', '10.0.0.1'])
    expect(await findTargetProblem(new URL('https://two.example/'), { ...strict, resolve })).toContain('not public')
    const fine = resolving(['93.184.216.34', '2606:4700::1111'])
    expect(await findTargetProblem(new URL('https://two.example/'), { ...strict, resolve: fine })).toBe(null)
  })

  test('a name that is public when it is given and private when it is used gets nowhere', async () => {
    let calls = 0
    const url = new URL(await serve(() => (calls += 1)))
    const resolve = resolving(['93.184.216.34'], ['127.0.0.1'])
    const target = `https://rebound.example:${url.port}/`
    expect(await findTargetProblem(new URL(target), { ...strict, resolve })).toBe(null)
    expect((await open({ ...strict, resolve }).post(target, {}, '{}', never)).error).toContain('not public')
    expect(calls).toBe(0)
  })

  test('neither does an address that was stored when private ones were allowed', async () => {
    expect((await open(strict).post('https://127.0.0.1:1/', {}, '{}', never)).error).toContain('not public')
    expect((await open(strict).post('http://example.com/', {}, '{}', never)).error).toContain('https')
  })

  test('the look-up answers in both forms that a connection asks for', async () => {
    const lookup = createGuardedLookup({ allowPrivate: false, resolve: resolving(['93.184.216.34']) })
    const one = await new Promise((resolve) => lookup('a.example', {}, (...answer) => resolve(answer)))
    const all = await new Promise((resolve) => lookup('a.example', { all: true }, (...answer) => resolve(answer)))
    expect([one, all]).toEqual([
      [null, '93.184.216.34', 4],
      [null, [{ address: '93.184.216.34', family: 4 }]],
    ])
  })
})
