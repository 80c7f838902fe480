import { expect, test } from 'vitest'
import { createUpstreamPace } from '../engine/tenants/upstream-pace.ts'
import type { UpstreamReply, UpstreamRequest } from '../ports/upstream.ts'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { createForwarder } from './forwarder.ts'

const READ = { method: 'eth_getBalance', params: ['0x00'] }
const SEND = { method: 'eth_sendRawTransaction', params: ['0x00'] }

/** Answers each time with the next of these; the last one stays. */
function answering(...rounds: readonly UpstreamReply[]) {
  const asked: (readonly UpstreamRequest[])[] = []
  const forward = async (requests: readonly UpstreamRequest[]) => {
    const reply = rounds[Math.min(asked.length, rounds.length - 1)] ?? { type: 'lost', message: 'nothing' }
    asked.push(requests)
    return requests.map(() => reply)
  }
  return { asked, forwarder: createForwarder({ chainId: 1, forward }) }
}

const unreached = { type: 'unreached', message: 'no connection (ECONNREFUSED)' } as const
const stale = { type: 'lost', message: 'no answer (ECONNRESET)', stale: true } as const
const late = { type: 'lost', message: 'no answer (TIMEOUT)', stale: false } as const
const good = { type: 'result', result: '0x1' } as const

test.each([
  ['a node that is not reached is asked again', READ, [unreached, unreached, good], 3],
  ['but not for ever', READ, [unreached, unreached, unreached, good], 3],
  ['an old connection that ended is replaced', READ, [stale, good], 2],
  ['who waited in vain does not wait again', READ, [late, good], 1],
  ['bytes that never left are sent again', SEND, [unreached, good], 2],
  ['bytes that may have arrived are not', SEND, [stale, good], 1],
])('%s', async (_name, request, replies, rounds) => {
  const { asked, forwarder } = answering(...replies)
  const [answer] = await forwarder.forwardEach([request])
  expect(asked).toHaveLength(rounds)
  expect(answer?.status).toBe(replies[rounds - 1] === good ? 'fulfilled' : 'rejected')
})

test('only what was not answered is asked again, and every answer is in its place', async () => {
  const asked: string[][] = []
  const forwarder = createForwarder({
    chainId: 1,
    forward: async (requests) => {
      asked.push(requests.map(({ method }) => method))
      return requests.map(({ method }) =>
        method === 'b' && asked.length === 1 ? unreached : { type: 'result', result: `${method}${asked.length}` },
      )
    },
  })
  const answers = await forwarder.forwardEach(['a', 'b', 'c'].map((method) => ({ method, params: [] })))
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : null))).toEqual(['a1', 'b2', 'c1'])
  expect(asked).toEqual([['a', 'b', 'c'], ['b']])
})

test.each<[string, UpstreamReply, object]>([
  [
    "a node's error",
    { type: 'error', error: { code: 3, message: 'execution reverted', data: '0x01' } },
    { code: 3, message: 'execution reverted', data: '0x01' },
  ],
  [
    'an error without a code',
    { type: 'error', error: { code: null, message: 'no', data: null } },
    { code: -32000, message: 'no' },
  ],
  ['a limit', { type: 'rate_limited', message: 'HTTP 429', retryAfterMs: null }, { code: -32005 }],
  ['silence', late, { code: -32603 }],
])('%s is told', async (_name, reply, error) => {
  await expect(answering(reply).forwarder.forward(READ)).rejects.toMatchObject({ error })
})

test('running and waiting calls are bounded', async () => {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let running = 0
  let most = 0
  const forwarder = createForwarder({
    chainId: 1,
    forward: async (requests) => {
      running++
      most = Math.max(most, running)
      await opened
      running--
      return requests.map(() => good)
    },
  })
  const calls = Array.from({ length: 1_100 }, () => forwarder.forwardEach([READ]))
  const refused = await Promise.race(calls.slice(1_008))
  expect(refused).toMatchObject([{ status: 'rejected', reason: { error: { code: -32005 } } }])
  open()
  const answers = (await Promise.all(calls)).flat()
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1_008)
  expect(most).toBe(8)
})

test('heavy calls of one tenant, ten batches of them, leave turns for the calls of another', async () => {
  const held: (() => void)[] = []
  const forwarder = createForwarder({
    chainId: 1,
    forward: async (requests) => {
      if (requests[0]?.method === 'eth_call') await new Promise<void>((resolve) => held.push(resolve))
      return requests.map(() => good)
    },
  })
  const heavy = Array.from({ length: 250 }, () => ({ method: 'eth_call', params: [] }))
  const batches = Array.from({ length: 10 }, () => forwarder.forTenant('heavy').forwardEach(heavy))
  expect(await forwarder.forTenant('other').forward(READ)).toBe('0x1')
  // Half of the turns, and a hundred calls in each.
  expect(held).toHaveLength(4)
  while (held.length > 0) {
    held.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await Promise.all(batches)).flat()).toHaveLength(2_500)
})

test('slow calls of one tenant are with the node a few at a time, and rest while others are there', async () => {
  const clock = createManualClock()
  const held: (() => void)[] = []
  let [running, most] = [0, 0]
  const forwarder = createForwarder(
    {
      chainId: 1,
      forward: async (requests) => {
        if (requests[0]?.method !== 'eth_call') return requests.map(() => good)
        running += requests.length
        most = Math.max(most, running)
        await new Promise<void>((resolve) => held.push(resolve))
        running -= requests.length
        return requests.map(() => good)
      },
    },
    { clock, pace: createUpstreamPace({ clock, isCrowded: () => true, distanceMs: () => 0 }) },
  )
  const heavy = Array.from({ length: 10 }, () => ({ method: 'eth_call', params: [] }))
  const batches = Array.from({ length: 10 }, () => forwarder.forTenant('heavy').forwardEach(heavy))
  await clock.settle()
  expect([held.length, running]).toEqual([1, 4])
  clock.freeze(1_000)
  held.shift()?.()
  await clock.advance(2_999)
  expect(held).toHaveLength(0)
  expect(await forwarder.forTenant('other').forward(READ)).toBe('0x1')
  await clock.advance(1)
  expect(held).toHaveLength(1)
  const answers = Promise.all(batches)
  for (let left = 200; left > 0 && running > 0; left--) {
    clock.freeze(100)
    held.shift()?.()
    await clock.advance(300)
  }
  expect((await answers).flat()).toHaveLength(100)
  expect(most).toBe(4)
})
