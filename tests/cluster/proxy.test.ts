/** The proxy files in deploy/proxy, in the real programs, in front of two nodes: what docs/production.md promises works. */
import { once } from 'node:events'
import { type RequestOptions, request } from 'node:https'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { developmentAccount } from '../setup/anvil.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { createFirstKey } from '../setup/first-key.ts'
import { hasProgram } from '../setup/has-program.ts'
import { type ProxyProgram, type RunningProxy, startProxy } from '../setup/proxy.ts'
import { startService, type TestService } from '../setup/service.ts'

const SENDER = developmentAccount(0).address
const PROGRAMS: readonly ProxyProgram[] = ['haproxy', 'nginx']

for (const program of PROGRAMS)
  describe.skipIf(!hasProgram(program, ['-v']) || !hasProgram('openssl', ['version']))(`behind ${program}`, () => {
    let service: TestService
    let peer: DroverProcess
    let proxy: RunningProxy
    let token = ''

    beforeAll(async () => {
      service = await startService({
        chain: { blockTimeSeconds: 1 },
        env: { DROVER_FINALITY: '1', DROVER_SIGNER_POLICY: 'fast' },
        // Without a key, Drover refuses whatever comes through a proxy.
        prepare: async ({ url }) => {
          token = (await createFirstKey(url, { name: 'ops', scopes: ['read', 'send'] })).token
        },
      })
      peer = await service.startPeer()
      proxy = await startProxy(program, [portOf(service.drover), portOf(peer)])
    })

    afterAll(async () => {
      await proxy?.stop()
      await peer?.end('SIGKILL')
      await service?.stop()
    })

    const portOf = ({ url }: DroverProcess) => Number(new URL(url).port)

    async function open(path: string, body?: string) {
      const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
      const options: RequestOptions = { host: 'localhost', port: proxy.port, path, ca: proxy.ca, agent: false, headers }
      const sent = request({ ...options, method: body === undefined ? 'GET' : 'POST' })
      sent.end(body)
      const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
      return response
    }

    async function ask(path: string, body?: unknown) {
      const response = await open(path, body === undefined ? undefined : JSON.stringify(body))
      return { status: response.statusCode ?? 0, headers: response.headers, text: await readAll(response) }
    }

    const transfer = (requestId: string) => ({ from: SENDER, to: SENDER, value: '1', requestId })

    test('a request that waits is answered when it is final', async () => {
      const { status, headers } = await ask('/v1/transactions?wait=confirmed&timeoutMs=60000', transfer('waits'))
      expect([status, headers['drover-wait']]).toEqual([202, 'reached'])
    })

    test('a body of almost 8 MiB reaches Drover', async () => {
      const { status, text } = await ask('/v1/transactions/batch', { transactions: [{ junk: 'x'.repeat(7_900_000) }] })
      expect([status, text.includes('"status":400')]).toEqual([200, true])
    })

    test('an event arrives while its stream is open', async () => {
      const stream = await open('/v1/events/stream?after=0')
      expect(stream.headers['content-type']).toContain('text/event-stream')
      let seen = ''
      for await (const part of stream) {
        seen += part
        if (seen.includes('finality.reached')) break
      }
      stream.destroy()
    })

    test('a WebSocket announces new blocks', async () => {
      const headers = { authorization: `Bearer ${token}` }
      const socket = new WebSocket(`wss://localhost:${proxy.port}/rpc`, { ca: proxy.ca, headers })
      await once(socket, 'open')
      const announced = new Promise<string>((resolve) =>
        socket.on('message', (data) => String(data).includes('eth_subscription') && resolve(String(data))),
      )
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
      expect(JSON.parse(await announced).params.result).toHaveProperty('number')
      socket.close()
    })

    test('a node that stops takes no request with it that is not answered when it is repeated', async () => {
      let [isOver, repeats] = [false, 0]
      const ids: string[] = []
      const load = (async () => {
        for (let index = 0; !isOver || index < 20; index++) {
          const intent = transfer(`rolling-${index}`)
          let answer = await ask('/v1/transactions', intent).catch(() => null)
          while (answer === null || answer.status >= 500) {
            if (++repeats > 1_000) throw new Error(`no answer: ${answer?.status} ${answer?.text}`)
            answer = await ask('/v1/transactions', intent).catch(() => null)
          }
          ids.push(JSON.parse(answer.text).id)
        }
      })()
      await expect.poll(() => ids.length, { timeout: 60_000 }).toBeGreaterThan(5)
      expect(await peer.end('SIGTERM')).toBe(0)
      const before = ids.length
      await expect.poll(() => ids.length, { timeout: 60_000 }).toBeGreaterThan(before + 5)
      isOver = true
      await load
      expect(new Set(ids).size).toBe(ids.length)
      const { status } = await ask(`/v1/transactions/${ids.at(-1)}?wait=confirmed&timeoutMs=60000`)
      expect(status).toBe(200)
    })
  })
