import { expect, test } from 'vitest'
import { formatLogLine } from './log-line.ts'
import { METRICS } from './metrics.ts'
import { createTelemetry, type ServiceTelemetry } from './telemetry.ts'

function createCaptured(isTTY = false): { telemetry: ServiceTelemetry; lines: string[] } {
  const lines: string[] = []
  const telemetry = createTelemetry({ level: 'info', stream: { isTTY, write: (line) => lines.push(line) } })
  return { telemetry, lines }
}

test('a line is one JSON object with time, level, message and fields', () => {
  const { telemetry, lines } = createCaptured()
  telemetry.log('warn', 'lane lost', { txId: 'a', fence: 3, error: new Error('gone', { cause: new Error('why') }) })
  telemetry.log('debug', 'left out')
  expect(lines.length).toBe(1)
  const entry: unknown = JSON.parse(lines[0] ?? '')
  expect(entry).toMatchObject({ level: 'warn', message: 'lane lost', txId: 'a', fence: 3, time: expect.any(String) })
  expect(entry).toMatchObject({ error: { message: expect.stringContaining('gone: why') } })
})

test('an error that quotes its cause says it once', () => {
  const { telemetry, lines } = createCaptured()
  const cause = new Error('Query read timeout')
  telemetry.log('warn', 'late', { error: new Error('the database cannot be reached: Query read timeout', { cause }) })
  const { error } = JSON.parse(lines[0] ?? '')
  expect(error.message).toBe('the database cannot be reached: Query read timeout')
})

test('wei can be logged', () => {
  const { telemetry, lines } = createCaptured()
  telemetry.log('info', 'priced', { feeWei: 10n ** 30n })
  expect(lines[0]).toContain('1000000000000000000000000000000')
})

test('a terminal gets lines for people', () => {
  const { telemetry, lines } = createCaptured(true)
  telemetry.log('info', 'ready', { url: 'http://127.0.0.1:4747', note: 'two words' })
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} info {2}ready url=http:\/\/127\.0\.0\.1:4747 note="two words"\n$/)
})

test('what is not JSON is shown as it is', () => {
  expect(formatLogLine('half a line')).toBe('half a line')
})

test('every metric of the table can be recorded and is served', async () => {
  const { telemetry, lines } = createCaptured()
  for (const [name, metric] of Object.entries(METRICS)) {
    const labels = Object.fromEntries(Object.keys(metric.labels).map((label) => [label, 'x']))
    if (metric.kind === 'counter') telemetry.count(name, labels)
    if (metric.kind === 'gauge') telemetry.gauge(name, 2, labels)
    if (metric.kind === 'histogram') telemetry.observe(name, 1, labels)
  }
  const { body, contentType } = await telemetry.renderMetrics()
  for (const name of Object.keys(METRICS)) expect(body).toMatch(new RegExp(`^${name}(_count)?(\\{.*\\})? [12]$`, 'm'))
  expect(contentType).toContain('text/plain')
  expect(lines).toEqual([])
})

test('a name, kind or label that is not in the table stops nothing and is reported once', async () => {
  const { telemetry, lines } = createCaptured()
  for (let i = 0; i < 3; i++) {
    telemetry.count('no_such_metric')
    telemetry.observe('drover_leases_total', 1)
    telemetry.count('drover_leases_total', { result: 'lost', extra: 1 })
  }
  expect(lines.map((line) => JSON.parse(line).message)).toEqual([
    'no_such_metric is not a counter that can grow by 1',
    'drover_leases_total is not a histogram',
    'metric drover_leases_total has no label extra',
  ])
  expect((await telemetry.renderMetrics()).body).toContain('drover_leases_total{result="lost"} 3')
})

test('every line names the node once it has an id', () => {
  const { telemetry, lines } = createCaptured()
  telemetry.log('info', 'starting')
  telemetry.setNode('node-a')
  telemetry.log('warn', 'late', { fence: 3 })
  expect(lines.map((line) => JSON.parse(line).nodeId)).toEqual([undefined, 'node-a'])
  expect(lines[1]).toMatch(/"nodeId":"node-a".*"fence":3/)
})

test('gauges of lanes are asked for at each render, and only as many lanes as wanted are shown', async () => {
  const { telemetry } = createCaptured()
  const held = new Set(['0xa', '0xb', '0xc'])
  telemetry.gauge('drover_signer_balance_wei', 7, { chainId: 1, signer: '0xb' })
  telemetry.showLanes(1, () => {
    for (const signer of held) telemetry.gauge('drover_lane_in_flight', 2, { chainId: 1, signer })
  })
  const first = (await telemetry.renderMetrics()).body
  expect(first).toContain('drover_lane_in_flight{chain_id="1",signer="0xa"} 2')
  expect(first).toContain('drover_lane_in_flight{chain_id="1",signer="others"} 4')
  expect(first).toContain('drover_signer_balance_wei{chain_id="1",signer="others"} 7')
  held.delete('0xb')
  const second = (await telemetry.renderMetrics()).body
  expect(second).toContain('drover_lane_in_flight{chain_id="1",signer="others"} 2')
  expect(second).not.toContain('drover_signer_balance_wei{')
})
