/** Timers on a real chain, over HTTP: each fires at its block, once, and its transaction is confirmed. */
import pg from 'pg'
import { encodeFunctionData, parseAbi, toEventSelector, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { COUNTER } from '../setup/contracts.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'

const sender = developmentAccount(0)
const other = developmentAccount(1)
/** Its balance is taken away, and given back. */
const poorer = developmentAccount(2)
const addressOf = (digits: string) => `0x${digits.repeat(20)}` as const
const [POKED, ONCE, REACTING, WATCHED, CHECKED, CHANGED, FUNDED] = ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map(
  addressOf,
)
const ONE = { function: 'increase(uint256)', args: ['1'] }

interface FireBody {
  readonly id: string
  readonly fireKey: string
  readonly height: number
  readonly state: string
  readonly skipReason: string | null
  readonly transactionId: string | null
  readonly trigger: { readonly matchedKeys: readonly string[] }
  readonly condition: { readonly outcome: string; readonly value: string | null } | null
}

let service: TestService
let drover: DroverProcess

beforeAll(async () => {
  service = await startService({
    signers: [sender, poorer],
    env: {
      DROVER_FINALITY: '2',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_LEASE_DURATION: '3s',
      DROVER_LEASE_RENEW_INTERVAL: '500ms',
    },
  })
  drover = service.drover
  // The runtime code stands behind the eleven bytes that deploy it.
  const runtime = `0x${COUNTER.bytecode.slice(2 + 2 * 11)}`
  for (const at of [POKED, ONCE, REACTING, WATCHED, CHECKED, CHANGED, FUNDED])
    await service.chain.setCode(at ?? '', runtime)
  await service.chain.mine(3)
})

afterAll(async () => {
  await drover?.end('SIGKILL')
  await service?.stop()
})

async function create(body: Record<string, unknown>) {
  const answer = await drover.post('/v1/timers', { from: sender.address, call: ONE, gasLimit: '100000', ...body })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

async function firesOf(id: string): Promise<readonly FireBody[]> {
  return (await drover.get(`/v1/timers/${id}/fires`)).body.items
}

/** Blocks until what is asked for is there. */
async function mineUntil<T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  return await eventually(async () => {
    await service.chain.mine(1)
    return await read()
  }, isThere)
}

/** The head, once the timers have come to it. */
async function reachHead(): Promise<number> {
  const head = await service.chain.blockNumber()
  await eventually(
    async () => (await drover.get('/v1/timers/queue')).body.height as number,
    (height) => height > head,
  )
  return head
}

async function total(at: string | undefined): Promise<number> {
  return Number(await service.chain.rpc('eth_call', [{ to: at, data: toFunctionSelector('total()') }, 'latest']))
}

async function confirm(fires: readonly FireBody[]): Promise<void> {
  for (const { transactionId, id } of fires) {
    const read = async () => (await drover.get(`/v1/transactions/${transactionId}`)).body
    expect(await mineUntil(read, ({ state }) => state === 'CONFIRMED')).toMatchObject({ requestId: id })
  }
}

const isQueued = ({ transactionId }: FireBody) => transactionId !== null

test('an interval fires every n blocks, once each, and continues after kill -9 [G10]', async () => {
  const timer = await create({ to: POKED, schedule: { type: 'interval', blocks: 3 }, metadata: { job: 'poke' } })
  expect(timer).toMatchObject({ state: 'ACTIVE', schedule: { type: 'interval', blocks: 3 }, fireCount: 0 })
  const start = timer.createdHeight as number
  expect(timer.dueHeight).toBe(start + 3)
  await service.chain.mine(6)
  await reachHead()
  const peer = await service.startPeer()
  await drover.end('SIGKILL')
  drover = peer
  // Answered by the node that took over: until then no block is made.
  const change = { gasLimit: '100001' }
  expect(await drover.request('PATCH', `/v1/timers/${timer.id}`, change)).toMatchObject({ status: 200, body: change })
  const fires = await mineUntil(
    () => firesOf(timer.id),
    (items) => items.filter(isQueued).length >= 4,
  )
  expect(fires.map(({ height }) => height).slice(-4)).toEqual([12, 9, 6, 3].map((blocks) => start + blocks))
  expect((await drover.request('DELETE', `/v1/timers/${timer.id}`)).body).toMatchObject({ state: 'CANCELLED' })
  const all = await mineUntil(
    () => firesOf(timer.id),
    (items) => items.every(isQueued),
  )
  expect(new Set(all.map(({ fireKey }) => fireKey)).size).toBe(all.length)
  await confirm(all)
  expect((await firesOf(timer.id)).map(({ state }) => state)).toEqual(all.map(() => 'CONFIRMED'))
  expect(await total(POKED)).toBe(all.length)
  const receipts = await Promise.all(
    all.map(async ({ transactionId }) => (await drover.get(`/v1/transactions/${transactionId}`)).body.receipt),
  )
  const sum = (field: 'gasUsed' | 'fee') =>
    receipts.reduce((all, receipt) => all + BigInt(receipt[field]), 0n).toString()
  expect((await drover.get(`/v1/timers/${timer.id}`)).body).toMatchObject({
    cost: { sent: all.length, reverted: 0, gasUsed: sum('gasUsed'), feesPaid: sum('fee') },
  })
  const tagged = (await drover.get(`/v1/transactions?metadata=drover.timer%3D${timer.id}`)).body.items
  expect(tagged).toHaveLength(all.length)
  expect(tagged[0].metadata).toMatchObject({ job: 'poke' })
})

test('a timeout fires once, at its block, once that block is confirmed', async () => {
  const head = await reachHead()
  const timer = await create({ to: ONCE, schedule: { type: 'timeout', height: head + 4 } })
  await service.chain.mine(3)
  await reachHead()
  expect(await firesOf(timer.id)).toEqual([])
  await service.chain.mine(1)
  await reachHead()
  const [observed, ...none] = await firesOf(timer.id)
  expect(none).toEqual([])
  expect(observed).toMatchObject({ height: head + 4, state: 'OBSERVED', transactionId: null })
  await service.chain.mine(2)
  await reachHead()
  const fires = await firesOf(timer.id)
  expect(fires).toMatchObject([{ id: observed?.id, transactionId: expect.any(String) }])
  await confirm(fires)
  expect(await total(ONCE)).toBe(1)
  expect((await drover.get(`/v1/timers/${timer.id}`)).body).toMatchObject({
    state: 'DONE',
    fireCount: 1,
    dueHeight: null,
  })
})

test('a watch fires when its event is logged, and says which keys matched', async () => {
  const event = 'Increased(uint256 by)'
  const timer = await create({ to: REACTING, schedule: { type: 'watch', contract: WATCHED, event } })
  expect(timer.dueHeight).toBeNull()
  await service.chain.mine(2)
  const data = encodeFunctionData({ abi: parseAbi(COUNTER.abi), functionName: 'increase', args: [7n] })
  await service.chain.rpc('anvil_impersonateAccount', [other.address])
  await service.chain.rpc('eth_sendTransaction', [{ from: other.address, to: WATCHED, data }])
  await service.chain.mine(1)
  const height = await service.chain.blockNumber()
  const fires = await mineUntil(
    () => firesOf(timer.id),
    (items) => items.some(isQueued),
  )
  expect(fires).toHaveLength(1)
  const key = `${WATCHED}01${toEventSelector(event).slice(2)}`
  expect(fires[0]).toMatchObject({ height, trigger: { type: 'watch', dueHeight: height, matchedKeys: [key] } })
  await confirm(fires)
  expect(await total(REACTING)).toBe(1)
  expect(await firesOf(timer.id)).toHaveLength(1)
})

test('a condition is read at the block of the fire, and a transaction is sent only if it holds', async () => {
  const timer = await create({
    to: CHECKED,
    schedule: { type: 'interval', blocks: 1 },
    when: { to: CHANGED, function: 'total() returns (uint256)', is: 'gte', value: '5' },
  })
  await service.chain.mine(3)
  await reachHead()
  // Asked for beside the blocks: known a moment later.
  const skipped = await eventually(
    () => firesOf(timer.id),
    (fires) => fires.every(({ state }) => state !== 'OBSERVED'),
  )
  expect(skipped.length).toBeGreaterThanOrEqual(3)
  for (const fire of skipped) {
    expect(fire).toMatchObject({ state: 'SKIPPED', skipReason: 'condition_not_met', transactionId: null })
    expect(fire.condition).toMatchObject({ outcome: 'not_met', value: '0' })
  }
  const data = encodeFunctionData({ abi: parseAbi(COUNTER.abi), functionName: 'increase', args: [5n] })
  await service.chain.rpc('eth_sendTransaction', [{ from: other.address, to: CHANGED, data }])
  await service.chain.mine(1)
  const height = await service.chain.blockNumber()
  await reachHead()
  await drover.request('DELETE', `/v1/timers/${timer.id}`)
  const met = await mineUntil(
    async () => (await firesOf(timer.id)).filter(({ skipReason }) => skipReason === null),
    (fires) => fires.length > 0 && fires.every(isQueued),
  )
  expect(met.at(-1)).toMatchObject({ height, condition: { outcome: 'met', value: '5' } })
  await confirm(met)
  expect(await total(CHECKED)).toBe(met.length)
})

test('a timer is changed, paused, resumed and listed; the queue shows what fires next', async () => {
  const timer = await create({
    to: CHANGED,
    schedule: { type: 'interval', blocks: 500 },
    name: 'slow',
    requestId: 'slow-1',
  })
  const again = { from: sender.address, to: CHANGED, call: ONE, gasLimit: '100000', name: 'slow', requestId: 'slow-1' }
  const schedule = { type: 'interval', blocks: 500 }
  expect(await drover.post('/v1/timers', { ...again, schedule })).toMatchObject({ status: 200, body: { id: timer.id } })
  expect(await drover.post('/v1/timers', { ...again, schedule: { ...schedule, blocks: 5 } })).toMatchObject({
    status: 409,
    body: { code: 'idempotency_conflict' },
  })
  const changed = await drover.request('PATCH', `/v1/timers/${timer.id}`, { gasLimit: '150000', bid: '7' })
  expect(changed).toMatchObject({ status: 200, body: { gasLimit: '150000', bid: '7', data: timer.data } })
  const sooner = (await drover.request('PATCH', `/v1/timers/${timer.id}`, { schedule: { ...schedule, blocks: 400 } }))
    .body
  expect(sooner).toMatchObject({ id: timer.id, schedule: { type: 'interval', blocks: 400 }, gasLimit: '150000' })
  expect(sooner.dueHeight).toBeLessThan(timer.dueHeight)
  expect(sooner.kernelId).not.toBe(timer.kernelId)
  expect(await drover.request('PATCH', `/v1/timers/${timer.id}`, { schedule })).toMatchObject({ status: 200 })
  const act = (action: string) => drover.post(`/v1/timers/${timer.id}/${action}`, undefined)
  expect((await act('pause')).body).toMatchObject({ state: 'PAUSED', dueHeight: null })
  expect(await act('pause')).toMatchObject({ status: 409, body: { code: 'action_forbidden' } })
  await service.chain.mine(1)
  const resumed = (await act('resume')).body
  expect(resumed).toMatchObject({ state: 'ACTIVE', gasLimit: '150000' })
  expect(resumed.kernelId).not.toBe(timer.kernelId)
  const { items } = (await drover.get(`/v1/timers?to=${CHANGED}&state=ACTIVE`)).body
  expect(items.map(({ id }: { id: string }) => id)).toEqual([timer.id])
  await service.chain.mine(500)
  const queue = await eventually(
    async () => (await drover.get('/v1/timers/queue')).body,
    ({ height }) => height > resumed.dueHeight,
  )
  expect(queue).toMatchObject({ maxFiresPerBlock: 100, items: [] })
  expect((await drover.get(`/v1/timers/${timer.id}`)).body).toMatchObject({
    fireCount: 1,
    dueHeight: resumed.dueHeight + 500,
  })
})

test('a timer that only reverts is retired after as many failures as it may have, with an event', async () => {
  const call = { function: 'unknown()', args: [] }
  const timer = await create({ to: CHANGED, schedule: { type: 'interval', blocks: 1 }, call, maxFailures: 2 })
  expect(timer).toMatchObject({ maxFailures: 2 })
  const read = async () => (await drover.get(`/v1/timers/${timer.id}`)).body
  const retired = await mineUntil(read, ({ state }) => state === 'RETIRED')
  expect(retired).toMatchObject({ endReason: 'too_many_failures', dueHeight: null, cost: { sent: 0 } })
  expect(retired.cost.failures).toBeGreaterThanOrEqual(2)
  const { items } = (await drover.get('/v1/events?limit=200&types=timer.retired')).body
  expect(items).toMatchObject([{ cause: 'too_many_failures', detail: { timerId: timer.id } }])
})

test('while its signer is out of funds, a timer skips or waits as it says, and goes on with funds; an event says so', async () => {
  const poor = { from: poorer.address, schedule: { type: 'interval', blocks: 1 } }
  await service.chain.setBalance(poorer.address, 0n)
  const [waiting, skipping] = [
    await create({ ...poor, to: FUNDED }),
    await create({ ...poor, to: FUNDED, onLowFunds: 'skip' }),
  ]
  const reasonsOf = async (id: string) => new Set((await firesOf(id)).map(({ skipReason }) => skipReason))
  await mineUntil(
    () => reasonsOf(skipping.id),
    (reasons) => reasons.has('low_funds'),
  )
  expect(await reasonsOf(waiting.id)).not.toContain('low_funds')
  const event = await mineUntil(
    async () => (await drover.get('/v1/events?limit=200&types=timer.skipped')).body.items[0],
    (item) => item !== undefined,
  )
  expect(event).toMatchObject({ cause: 'low_funds', detail: { timerId: skipping.id } })
  for (const { id } of [waiting, skipping]) await drover.request('DELETE', `/v1/timers/${id}`)
  await service.chain.setBalance(poorer.address, 10n ** 20n)
  // Those that waited are sent, and those that were skipped are not.
  const fires = await mineUntil(
    async () => [...(await firesOf(waiting.id)), ...(await firesOf(skipping.id))],
    (items) => items.every(({ state }) => state === 'CONFIRMED' || state === 'SKIPPED'),
  )
  const sent = fires.filter(({ state }) => state === 'CONFIRMED')
  expect(sent.length).toBeGreaterThan(0)
  expect(await total(FUNDED)).toBe(sent.length)
})

test('a timer by cron fires once for each time, and goes on', async () => {
  const schedule = { type: 'cron', cron: '* * * * *' }
  const timer = await create({ to: ONCE, schedule })
  expect(timer).toMatchObject({ state: 'ACTIVE', schedule })
  expect(timer.dueHeight).toBeGreaterThan(timer.createdHeight)
  const read = async () => (await drover.get(`/v1/timers/${timer.id}`)).body
  const later = await mineUntil(read, ({ fireCount, dueHeight }) => fireCount >= 2 && dueHeight !== null)
  expect(later.state).toBe('ACTIVE')
  const minutes = (Date.parse(later.schedule.time) - Date.parse(timer.schedule.time)) / 60_000
  expect(minutes).toBeGreaterThanOrEqual(later.fireCount)
  expect((await drover.request('DELETE', `/v1/timers/${timer.id}`)).body).toMatchObject({ state: 'CANCELLED' })
  const fires = await firesOf(timer.id)
  expect(fires.length).toBe((await read()).fireCount)
  expect(new Set(fires.map(({ height }: { height: number }) => height)).size).toBe(fires.length)
  expect(
    await drover.post('/v1/timers', {
      from: sender.address,
      to: ONCE,
      call: ONE,
      gasLimit: '100000',
      schedule: { ...schedule, cron: '0 0 30 2 *' },
    }),
  ).toMatchObject({ status: 400, body: { field: 'schedule.cron' } })
})

test('reading the queue stores nothing', async () => {
  const client = new pg.Client({ connectionString: service.database.url })
  await client.connect()
  try {
    const count = async () => (await client.query('select count(*)::int as n from timer_command')).rows[0].n as number
    const before = await count()
    expect(await drover.get('/v1/timers/queue?limit=3')).toMatchObject({ status: 200, body: { items: [] } })
    expect(await count()).toBe(before)
  } finally {
    await client.end()
  }
})

test('an impossible timer is refused, with the field name', async () => {
  const base = { from: sender.address, to: ONCE, call: ONE, gasLimit: '100000' }
  const refuse = async (body: Record<string, unknown>) => {
    const { status, body: problem } = await drover.post('/v1/timers', { ...base, ...body })
    return [status, problem.code, problem.field ?? problem.reason]
  }
  expect(await refuse({ schedule: { type: 'timeout', height: 1 } })).toEqual([
    ...[400, 'invalid_request', 'schedule.height'],
  ])
  expect(await refuse({ schedule: { type: 'interval', blocks: 1 }, from: other.address })).toEqual([
    ...[400, 'unknown_signer', 'from'],
  ])
  expect(await refuse({ schedule: { type: 'interval' } })).toEqual([400, 'invalid_request', 'schedule'])
  expect(await refuse({ schedule: { type: 'watch', contract: ONCE, event: 'Nope(' } })).toEqual([
    ...[400, 'invalid_request', 'schedule.event'],
  ])
  const large = await refuse({ schedule: { type: 'interval', blocks: 1 }, gasLimit: '90000000' })
  expect(large).toEqual([400, 'invalid_request', 'gasLimit'])
})
