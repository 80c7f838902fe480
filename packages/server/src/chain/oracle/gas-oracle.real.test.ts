/** A gas oracle that is a real HTTP server, with every answer that it should not give. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { FeeMarket } from '../../core/fees/fees.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createGasOracle } from './gas-oracle.ts'

const GWEI = 10n ** 9n
const MARKET: FeeMarket = {
  baseFeePerGas: 20n * GWEI,
  gasPrice: 23n * GWEI,
  priorityFeePerGas: { slow: GWEI, standard: 3n * GWEI, fast: 6n * GWEI },
}
const GOOD = JSON.stringify({ fast: { maxFee: 60, tip: '4.5' } })

let server: Server
let answer: RequestListener
let asked: string[]

beforeEach(async () => {
  asked = []
  answer = (_, response) => response.end(GOOD)
  server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
})

function open(timeoutMs = 60_000) {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/gas?key=a-very-secret-key`
  const fields = { maxFee: ['fast', 'maxFee'], priorityFee: ['fast', 'tip'] }
  const oracle = createGasOracle({ chainId: 1, clock, telemetry, settings: { url, fields, unit: 'gwei', timeoutMs } })
  const read = async () => {
    oracle.ask()
    return await oracle.apply(MARKET)
  }
  const countOf = (result: string) => telemetry.valueOf('drover_gas_oracle_total', { chainId: 1, result })
  return { clock, telemetry, read, countOf }
}

test('its prices count, and it is asked once for many readers', async () => {
  const { clock, read, countOf, telemetry } = open()
  const [market] = await Promise.all(Array.from({ length: 10 }, read))
  expect(market).toMatchObject({
    baseFeePerGas: 20n * GWEI,
    maxFeePerGas: 60n * GWEI,
    priorityFeePerGas: { standard: 4_500_000_000n },
  })
  expect(asked).toEqual(['/gas?key=a-very-secret-key'])
  expect(countOf('used')).toBe(10)
  await clock.advance(3_000)
  await read()
  expect(asked).toHaveLength(2)
  expect(telemetry.logs).toEqual([])
})

const HOSTILE: readonly (readonly [string, RequestListener, string])[] = [
  ['HTML', (_, response) => response.end('<html>limit reached</html>'), 'not JSON'],
  ['an empty answer', (_, response) => response.end(), 'not JSON'],
  ['a negative price', (_, response) => response.end('{"fast":{"maxFee":-60,"tip":4}}'), 'not a price'],
  ['NaN', (_, response) => response.end('{"fast":{"maxFee":NaN,"tip":4}}'), 'not JSON'],
  ['NaN as text', (_, response) => response.end('{"fast":{"maxFee":"NaN","tip":4}}'), 'not a price'],
  ['a price with an exponent', (_, response) => response.end('{"fast":{"maxFee":6e40,"tip":4}}'), 'not a price'],
  ['a huge price', (_, response) => response.end('{"fast":{"maxFee":6000000,"tip":5000000}}'), 'too far from'],
  ['an error', (_, response) => response.writeHead(500).end(GOOD), 'answered 500'],
  ['too many requests', (_, response) => response.writeHead(429).end(GOOD), 'answered 429'],
  [
    'a redirect to a private address',
    (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
    'redirects are not followed',
  ],
  [
    'a redirect to itself',
    (_, response) => response.writeHead(301, { location: '/elsewhere' }).end(GOOD),
    'redirects are not followed',
  ],
  ['an endless answer', (_, response) => void flood(response), 'longer than'],
  ['a cut connection', (request) => void request.socket.destroy(), 'does not respond'],
]

function flood(response: Parameters<RequestListener>[1]): void {
  const chunk = Buffer.alloc(16_384, ' ')
  const write = (): void => {
    if (!response.destroyed) response.write(chunk, () => setImmediate(write))
  }
  write()
}

test.each(HOSTILE)('%s: the prices of the nodes count, with one warning', async (_, hostile, reason) => {
  answer = hostile
  const { clock, read, telemetry, countOf } = open()
  expect(await read()).toBe(MARKET)
  // It is left alone for a while, so it delays nobody.
  expect(await read()).toBe(MARKET)
  expect(asked).toHaveLength(1)
  await clock.advance(15_000)
  expect(await read()).toBe(MARKET)
  expect(asked).toHaveLength(2)
  expect(countOf('failed') + countOf('refused')).toBe(2)
  expect(telemetry.logs).toMatchObject([{ level: 'warn', fields: { reason: expect.stringContaining(reason) } }])
  expect(JSON.stringify(telemetry.logs)).not.toContain('a-very-secret-key')
  answer = (_request, response) => response.end(GOOD)
  await clock.advance(15_000)
  expect(await read()).toMatchObject({ maxFeePerGas: 60n * GWEI })
})

test('one that never answers is given up on', async () => {
  answer = () => {}
  const { read, telemetry } = open(100)
  expect(await read()).toBe(MARKET)
  expect(telemetry.logs).toMatchObject([{ fields: { reason: 'it did not answer within 100 ms' } }])
})

test('one that is not there', async () => {
  const { read, telemetry } = open()
  server.close()
  expect(await read()).toBe(MARKET)
  expect(telemetry.logs).toMatchObject([{ fields: { reason: 'it does not respond' } }])
})
