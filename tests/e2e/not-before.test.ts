/** Transactions that wait for a block or a time of their chain: without a nonce, over restarts, and while others go first. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'

const sender = developmentAccount(0)
const receiver = `0x${'ab'.repeat(20)}`

let service: TestService
let drover: DroverProcess

beforeAll(async () => {
  service = await startService({
    env: {
      DROVER_FINALITY: '1',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_LEASE_DURATION: '2s',
      DROVER_LEASE_RENEW_INTERVAL: '300ms',
    },
  })
  drover = service.drover
  await service.chain.mine(3)
})

afterAll(async () => {
  await drover?.end('SIGKILL')
  await service?.stop()
})

async function send(more: object) {
  const answer = await drover.post('/v1/transactions', { from: sender.address, to: receiver, value: '1', ...more })
  expect(answer).toMatchObject({ status: 202 })
  return answer.body
}

const show = async (id: string) => (await drover.get(`/v1/transactions/${id}`)).body
const explain = async (id: string) => (await drover.get(`/v1/transactions/${id}/explain`)).body

/** Mines only once an RPC node has it, so that the number of blocks does not depend on the pace. */
async function confirm(id: string) {
  const sent = ({ submittedAt }: { submittedAt: string | null }) => submittedAt !== null
  await eventually(() => show(id), sent)
  await service.chain.mine(2)
  return await eventually(
    () => show(id),
    ({ state }) => state === 'CONFIRMED',
  )
}

test('waits for its block over a restart; others go first, and it can be cancelled', async () => {
  const height = (await service.chain.blockNumber()) + 20
  const waiting = await send({ notBefore: { height } })
  expect(waiting).toMatchObject({ state: 'QUEUED', subState: 'scheduled', nonce: null, notBefore: { height } })
  const unwanted = await send({ notBefore: { height } })
  expect(await explain(waiting.id)).toMatchObject({
    cause: 'scheduled',
    summary: expect.stringContaining(`before block ${height}`),
  })
  const other = await send({})
  expect((await confirm(other.id)).nonce).toBe(0)
  expect((await drover.get('/v1/transactions?subState=scheduled')).body.items).toHaveLength(2)
  const cancelled = await drover.post(`/v1/transactions/${unwanted.id}/cancel`, { reason: 'test' })
  expect(cancelled).toMatchObject({ status: 200, body: { state: 'CANCELLED', nonce: null } })
  const peer = await service.startPeer()
  await drover.end('SIGKILL')
  drover = peer
  expect(await show(waiting.id)).toMatchObject({ subState: 'scheduled', nonce: null })
  await service.chain.mine(height - (await service.chain.blockNumber()))
  const sent = await confirm(waiting.id)
  expect(sent.nonce).toBe(1)
  expect(sent.inclusion.blockNumber).toBeGreaterThan(height)
  const { items } = (await drover.get(`/v1/transactions/${waiting.id}/history`)).body
  expect(items.map(({ type }: { type: string }) => type)).toContain('schedule.reached')
  expect(await show(unwanted.id)).toMatchObject({ state: 'CANCELLED' })
})

test('waits for a time by the clock of the chain, whatever the clock of the machine says', async () => {
  const head = await service.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])
  const time = new Date((Number(head.timestamp) + 7_200) * 1_000).toISOString()
  const waiting = await send({ notBefore: { time } })
  expect(waiting).toMatchObject({ subState: 'scheduled', notBefore: { time } })
  expect(await explain(waiting.id)).toMatchObject({ cause: 'scheduled', nextActionAt: time })
  await service.chain.rpc('evm_setNextBlockTimestamp', [Date.parse(time) / 1_000])
  await service.chain.mine(1)
  expect(await confirm(waiting.id)).toMatchObject({ state: 'CONFIRMED' })
})

test('what cannot be is refused', async () => {
  const refuse = async (more: object) => {
    const { status, body } = await drover.post('/v1/transactions', { from: sender.address, to: receiver, ...more })
    return [status, body.field]
  }
  const time = '2099-01-01T00:00:00Z'
  expect(await refuse({ notBefore: {} })).toEqual([400, 'notBefore'])
  expect(await refuse({ notBefore: { height: 1, time } })).toEqual([400, 'notBefore'])
  expect(await refuse({ notBefore: { height: -1 } })).toEqual([400, 'notBefore.height'])
  expect(await refuse({ notBefore: { time }, validUntil: '2098-01-01T00:00:00Z' })).toEqual([400, 'notBefore'])
})
