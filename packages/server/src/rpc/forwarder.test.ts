import { describe, expect, test, vi } from 'vitest'
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
  const pace = createUpstreamPace({ clock, distanceMs: () => 0 })
  await pace.run('other', async () => {})
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
    { clock, pace },
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
    await clock.advance(5_000)
    await forwarder.forTenant('other').forward(READ)
  }
  expect((await answers).flat()).toHaveLength(100)
  expect(most).toBe(4)
})

describe('once the caller has gone', () => {
  /** Calls wait until they are let go; answers with the methods that reached the node. */
  function create() {
    const held: (() => void)[] = []
    const reached: string[] = []
    const forwarder = createForwarder({
      chainId: 1,
      forward: async (requests) => {
        reached.push(...requests.map(({ method }) => method))
        await new Promise<void>((resolve) => held.push(resolve))
        return requests.map(() => good)
      },
    })
    const letGo = async (): Promise<void> => {
      await vi.waitUntil(() => held.length > 0)
      held.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return { own: forwarder.forTenant('a'), reached, letGo }
  }

  const heavy = Array.from({ length: 250 }, () => ({ method: 'eth_call', params: [] }))

  test('the rest of its batch reaches no node', async () => {
    const { own, reached, letGo } = create()
    const gone = { aborted: false }
    const answers = own.forwardEach(heavy, gone)
    expect(reached).toHaveLength(100)
    gone.aborted = true
    await letGo()
    expect((await answers).map(({ status }) => status)).toEqual([
      ...Array(100).fill('fulfilled'),
      ...Array(150).fill('rejected'),
    ])
    expect(reached).toHaveLength(100)
  })

  test('so does what waits for a turn, and others get it', async () => {
    const { own, reached, letGo } = create()
    const gone = { aborted: false }
    // As many as may run, and one in line.
    const running = Array.from({ length: 4 }, () => own.forwardEach([READ]))
    const waiting = own.forwardEach([{ method: 'eth_call', params: [] }], gone)
    gone.aborted = true
    await letGo()
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected'])
    expect(reached).not.toContain('eth_call')
    for (const _ of running.slice(1)) await letGo()
    await Promise.all(running)
  })

  test('signed bytes still go out: it may have counted on that', async () => {
    const { own, reached, letGo } = create()
    const raw = { method: 'eth_sendRawTransaction', params: ['0x00'] }
    const answers = own.forwardEach([...heavy.slice(0, 150), raw], { aborted: true })
    await letGo()
    expect((await answers).filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(reached).toEqual(['eth_sendRawTransaction'])
  })
})
