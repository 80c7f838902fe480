/** The gauges of a real service take the values that the alerts ask for; its log lines say which node and lane; its traces arrive. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'

const SENDER = developmentAccount(0)
const LANE = `chain_id="31337",signer="${SENDER.address.toLowerCase()}"`
let service: TestService
let collector: Server
/** What the collector of traces was sent. */
const spans: { name: string; traceId: string; parentSpanId?: string; status: object }[] = []

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    const body = (await json(request)) as { resourceSpans: [{ scopeSpans: [{ spans: typeof spans }] }] }
    spans.push(...body.resourceSpans[0].scopeSpans[0].spans)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const otlpUrl = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`
  service = await startService({
    env: { DROVER_FINALITY: '2', DROVER_STUCK_AFTER: '2s', DROVER_OTLP_URL: otlpUrl },
  })
})

afterAll(async () => {
  await service.stop()
  collector.close()
})

async function readMetrics(): Promise<string> {
  return await (await fetch(`${service.drover.url}/metrics`)).text()
}

function read(body: string, series: string): number | null {
  const line = body.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length))
}

async function awaitMetrics(wanted: Readonly<Record<string, (value: number) => boolean>>): Promise<void> {
  await eventually(readMetrics, (body) =>
    Object.entries(wanted).every(([series, isGood]) => {
      const value = read(body, series)
      return value !== null && isGood(value)
    }),
  )
}

const is = (wanted: number) => (value: number) => value === wanted
const isPositive = (value: number) => value > 0

test('counters that alerts watch for growth are there from the start, at 0', async () => {
  const body = await readMetrics()
  const series = [
    'drover_final_reorgs_total{chain_id="31337"}',
    'drover_leases_total{result="taken_over"}',
    'drover_transactions_accepted_total{result="queue_full"}',
    'drover_transactions_accepted_total{result="tenant_limit"}',
    'drover_webhooks_disabled_total{reason="failing"}',
    'drover_fees_wei_total{chain_id="31337",result="confirmed"}',
  ]
  expect(series.map((each) => [each, read(body, each)])).toEqual(series.map((each) => [each, 0]))
  expect(body).toMatch(/^drover_rpc_wrong_chain_total\{chain_id="31337",host="[^"]+"\} 0$/m)
  expect(read(body, 'nodejs_eventloop_lag_p99_seconds')).not.toBeNull()
})

test('a lane shows what waits, what is stuck, what is mined, and what it cost', async () => {
  const send = () => service.drover.post('/v1/transactions', { from: SENDER.address, to: SENDER.address, value: '1' })
  const [{ body: first }] = [await send(), await send()]
  await awaitMetrics({
    [`drover_lane_in_flight{${LANE}}`]: is(1),
    [`drover_lane_queued{${LANE}}`]: is(1),
    [`drover_lane_oldest_unmined_seconds{${LANE}}`]: isPositive,
    [`drover_signer_balance_wei{${LANE}}`]: isPositive,
    [`drover_signer_runway_transactions{${LANE}}`]: isPositive,
    [`drover_nonce_drift{${LANE}}`]: is(0),
  })
  // Blocks come, but none takes it: the base fee is above what it offers.
  await eventually(
    async () => {
      await service.chain.setNextBlockBaseFee(10n ** 13n)
      await service.chain.mine(1)
      return readMetrics()
    },
    (body) => read(body, `drover_lane_stuck{${LANE}}`) === 1,
  )
  await awaitMetrics({
    [`drover_lane_problem{${LANE},problem="stuck"}`]: is(1),
    'drover_base_fee_wei{chain_id="31337"}': is(1e13),
  })
  const { runbook } = (await service.drover.get(`/v1/transactions/${first.id}/explain`)).body
  expect(runbook).toBe('docs/runbook.md#stuck')
  const mine = async () => {
    await service.chain.setNextBlockBaseFee(1n)
    await service.chain.mine(1)
    return readMetrics()
  }
  await eventually(mine, (body) => read(body, `drover_lane_unfinal{${LANE}}`) === 1)
  await eventually(
    mine,
    (body) =>
      [`drover_lane_in_flight{${LANE}}`, `drover_lane_unfinal{${LANE}}`, `drover_lane_stuck{${LANE}}`].every(
        (series) => read(body, series) === 0,
      ) && (read(body, 'drover_fees_wei_total{chain_id="31337",result="confirmed"}') ?? 0) > 0,
  )
})

test('log lines of a lane name the node, the lane, the fence and the transaction', () => {
  const lines = service.drover.output().split('\n')
  const line = lines.find((each) => each.includes('a transaction is stuck'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    nodeId: service.drover.nodeId,
    chainId: 31337,
    signer: SENDER.address.toLowerCase(),
    fence: expect.any(Number),
    txId: expect.any(String),
  })
})

test('a transaction becomes a trace of its caller, from acceptance to finality', async () => {
  const { chain, drover } = service
  const [traceId, parentSpanId] = ['c'.repeat(32), 'd'.repeat(16)]
  const metadata = { traceparent: `00-${traceId}-${parentSpanId}-01` }
  const intent = { from: SENDER.address, to: SENDER.address, value: '1', metadata }
  expect(await drover.post('/v1/transactions', intent)).toMatchObject({ status: 202 })
  const mine = async () => {
    await chain.mine(1)
    return spans.filter((span) => span.traceId === traceId)
  }
  const [root, ...stages] = await eventually(mine, (found) => found.length > 0)
  expect(root).toMatchObject({ name: 'transaction', parentSpanId, status: {} })
  expect(stages.map(({ name }) => name)).toEqual(['queue', 'send', 'mine', 'finality'])
  await awaitMetrics({ 'drover_traces_total{result="sent"}': isPositive })
})
