import { expect, test } from 'vitest'
import { createFakeEndpoint } from '../../testing/chain/fake-endpoint.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import type { HeightVerdict } from './endpoint.ts'
import { createHeadWatch } from './head-watch.ts'
import type { RpcReply } from './read-reply.ts'

interface Node {
  /** Null: it does not answer. */
  height: number | null
  /** The newest block that it can show; absent: the one that it reports. */
  shows?: number
  /** It takes requests, and answers none before this. */
  answers?: Promise<void>
  /** Calls per second that it is known to allow; absent: no limit is known. */
  allows?: number
}

const hash = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const NEVER = new Promise<void>(() => {})
const quantity = (number: number) => `0x${number.toString(16)}`

function open(nodes: readonly Node[], inUse = 0) {
  const clock = createManualClock()
  const asked: string[][] = nodes.map(() => [])
  const verdicts: (readonly [HeightVerdict, number] | null)[] = nodes.map(() => null)
  const endpoints = nodes.map((node, index) =>
    createFakeEndpoint({
      name: `node${index}`,
      callsPerSecond: () => node.allows ?? null,
      async send(requests) {
        asked[index]?.push(...requests.map(({ method }) => method))
        await node.answers
        return requests.map(({ method, params }): RpcReply => {
          if (node.height === null) return { type: 'lost', message: 'no answer' }
          if (method === 'eth_blockNumber') return { type: 'result', result: quantity(node.height) }
          const number = Number(BigInt(String(params[0])))
          if (number > (node.shows ?? node.height)) return { type: 'result', result: null }
          const block = { number: quantity(number), hash: hash(number), parentHash: hash(number - 1) }
          return { type: 'result', result: { ...block, timestamp: '0x1', transactions: [] } }
        })
      },
      noteHead: ({ lagBlocks }, verdict) => {
        verdicts[index] = [verdict, lagBlocks]
      },
    }),
  )
  const watch = createHeadWatch({
    endpoints,
    inUse: () => endpoints[inUse] ?? null,
    pollIntervalMs: 1_000,
    blockTimeMs: 2_000,
    clock,
  })
  async function poll(): Promise<number> {
    await clock.advance(1_000)
    const height = await watch.poll()
    await clock.settle()
    return height
  }
  return { poll, verdicts, asked, clock, watch }
}

test('a node that stopped following lags after two answers, and is back after two that are near', async () => {
  const frozen: Node = { height: 100 }
  const going: Node = { height: 100 }
  const { poll, verdicts } = open([frozen, going])
  await poll()
  going.height = 110
  await poll()
  expect(verdicts).toEqual([
    ['in_step', 0],
    ['in_step', 0],
  ])
  await poll()
  await poll()
  expect(verdicts[0]).toEqual(['lagging', 10])
  frozen.height = 107
  await poll()
  await poll()
  expect(verdicts[0]).toEqual(['lagging', 3])
  frozen.height = 109
  await poll()
  expect(verdicts[0]).toEqual(['lagging', 1])
  await poll()
  expect(verdicts[0]).toEqual(['in_step', 1])
})

test('a few blocks apart is nothing', async () => {
  const { poll, verdicts, asked } = open([{ height: 100 }, { height: 103 }])
  for (let round = 0; round < 4; round++) expect(await poll()).toBe(103)
  expect(verdicts[0]).toEqual(['in_step', 3])
  expect(new Set(asked.flat())).toEqual(new Set(['eth_blockNumber']))
})

test('a head that its node cannot show makes the node implausible, and no other node lagging', async () => {
  const { poll, verdicts } = open([{ height: 9_999_999, shows: 100 }, { height: 100 }])
  await poll()
  for (let round = 0; round < 3; round++) expect(await poll()).toBe(100)
  expect(verdicts).toEqual([
    ['implausible', 0],
    ['in_step', 0],
  ])
})

test('one of three that moves ahead alone is believed, because it shows its blocks', async () => {
  const { poll, verdicts } = open([{ height: 50 }, { height: 50 }, { height: 90 }])
  for (let round = 0; round < 4; round++) await poll()
  expect(verdicts).toEqual([
    ['lagging', 40],
    ['lagging', 40],
    ['in_step', 0],
  ])
})

test('a node that does not answer holds up nobody, and where none does the poll fails', async () => {
  const nodes: Node[] = [{ height: null }, { height: 7 }]
  const { poll, verdicts, watch, clock } = open(nodes)
  expect(await poll()).toBe(7)
  expect(verdicts).toEqual([null, ['in_step', 0]])
  if (nodes[1] !== undefined) nodes[1].height = null
  await clock.advance(1_000)
  await expect(watch.poll()).rejects.toThrow('no answer')
})

test('of many unused nodes, a few are checked at a time', async () => {
  const { asked, watch, clock } = open(Array.from({ length: 12 }, () => ({ height: 5 })))
  await watch.poll()
  await clock.settle()
  expect(asked.filter(({ length }) => length > 0).length).toBe(5)
  for (let round = 0; round < 3; round++) {
    await clock.advance(1_000)
    await watch.poll()
  }
  await clock.settle()
  expect(asked.every(({ length }) => length > 0)).toBe(true)
})

test('a node with a limit is polled at a tenth of it, and meanwhile a poll repeats what it said', async () => {
  const node: Node = { height: 7, allows: 2 }
  const { poll, asked } = open([node])
  for (let round = 0; round < 20; round++) expect(await poll()).toBe(7)
  expect(asked[0]).toHaveLength(4)
})

test('whoever asks for the height hears from a node, or nothing: what it said before is no answer', async () => {
  const node: Node = { height: 7, allows: 1 }
  const { watch, asked, clock } = open([node])
  expect(await watch.ask()).toBe(7)
  node.height = 8
  await clock.advance(1_000)
  expect(await watch.ask()).toBe(8)
  node.answers = NEVER
  const heard: number[] = []
  for (let round = 0; round < 14; round++) {
    await clock.advance(1_000)
    void watch.ask().then((height) => heard.push(height))
  }
  await clock.settle()
  expect(heard).toEqual([])
  // They wait for one request together.
  expect(asked[0]).toHaveLength(3)
})

test('a height that was asked for counts as a poll: the next one of a node with a limit is as far away', async () => {
  const node: Node = { height: 7, allows: 2 }
  const { watch, poll, asked } = open([node])
  await watch.ask()
  node.height = 8
  for (let round = 0; round < 4; round++) expect(await poll()).toBe(7)
  expect(asked[0]).toHaveLength(1)
  expect(await poll()).toBe(8)
})

test('a request that is under way is waited for too, whatever the node does that is due', async () => {
  let release = (): void => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const limited: Node = { height: 7, allows: 1, answers: held }
  const aside: Node = { height: 7 }
  const { watch, clock, asked } = open([limited, aside])
  expect(await watch.ask()).toBe(7)
  await clock.advance(1_000)
  aside.answers = NEVER
  const answer = watch.ask()
  await clock.settle()
  expect(asked.map(({ length }) => length)).toEqual([1, 2])
  limited.height = 8
  release()
  expect(await answer).toBe(8)
})

test('a node aside that hangs hides no answer of the node in use', async () => {
  const limited: Node = { height: 7, allows: 1 }
  const aside: Node = { height: 7 }
  const { watch, clock } = open([limited, aside])
  await watch.ask()
  await clock.advance(1_000)
  aside.answers = NEVER
  for (limited.height = 8; limited.height < 12; limited.height++) {
    expect(await watch.ask()).toBe(limited.height)
    await clock.advance(1_000)
  }
})

test('no usable node: asking for the height fails, however fresh the last answer is', async () => {
  let isGone = false
  const clock = createManualClock()
  const endpoint = createFakeEndpoint({
    waitMs: () => (isGone ? 1_000 : 0),
    send: async (requests) => requests.map(() => ({ type: 'result', result: '0x7' })),
  })
  const times = { pollIntervalMs: 1_000, blockTimeMs: 2_000, clock }
  const watch = createHeadWatch({ endpoints: [endpoint], inUse: () => (isGone ? null : endpoint), ...times })
  expect(await watch.ask()).toBe(7)
  isGone = true
  await expect(watch.ask()).rejects.toThrow('no RPC node')
})
