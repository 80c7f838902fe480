import { describe, expect, test } from 'vitest'
import type { EndpointState } from '../../ports/endpoint-report.ts'
import { createFakeEndpoint } from '../../testing/chain/fake-endpoint.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import type { Endpoint } from './endpoint.ts'
import { createEndpointChoice, type ReadWeights } from './endpoint-choice.ts'

interface Node {
  state: EndpointState
  waitMs?: number
  healthyMs?: number
  height?: number
}

function open(...nodes: Node[]) {
  return openWith(null, ...nodes)
}

function openWith(shares: ReadWeights | null, ...nodes: Node[]) {
  const endpoints = nodes.map((node, index) =>
    createFakeEndpoint({
      name: String(index),
      send: async () => [],
      state: () => node.state,
      waitMs: () => node.waitMs ?? 0,
      healthyMs: () => node.healthyMs ?? 0,
      height: () => node.height ?? 0,
      isBarred: () => node.state === 'wrong_chain',
      isBusy: () => node.state === 'rate_limited',
    }),
  )
  const names = (list: readonly Endpoint[]) => list.map(({ name }) => name).join('')
  const choice = createEndpointChoice(endpoints, shares)
  const served = (index: number) => {
    const endpoint = endpoints[index]
    if (endpoint !== undefined) choice.noteServed(endpoint)
  }
  return { choice, served, readable: () => names(choice.readable()), sendable: () => names(choice.sendable()) }
}

test('reads stay with a node, and return to the first only after it was healthy for a while', () => {
  const first: Node = { state: 'failing', waitMs: 500 }
  const { readable, served } = open(first, { state: 'healthy' })
  expect(readable()).toBe('1')
  served(1)
  Object.assign(first, { state: 'healthy', waitMs: 0, healthyMs: 1_000 })
  expect(readable()).toBe('10')
  first.healthyMs = 30_000
  expect(readable()).toBe('01')
})

test('a lagging or implausible node gets sends, but no reads', () => {
  const { readable, sendable } = open({ state: 'lagging' }, { state: 'implausible' }, { state: 'healthy' })
  expect([readable(), sendable()]).toEqual(['2', '012'])
})

test('if all lag, the highest is read from', () => {
  const { readable } = open(
    { state: 'failing', waitMs: 9 },
    { state: 'lagging', height: 5 },
    { state: 'lagging', height: 8 },
  )
  expect(readable()).toBe('21')
})

test('a node of another chain gets no reads and no sends, even if it is the only one', () => {
  const { readable, sendable } = open({ state: 'wrong_chain', waitMs: 100 })
  expect([readable(), sendable()]).toEqual(['', ''])
})

test('a rate-limited node is waited for only on request', () => {
  const { choice, readable, sendable } = open(
    { state: 'rate_limited', waitMs: 700 },
    { state: 'rate_limited', waitMs: 300 },
    { state: 'healthy' },
  )
  expect([readable(), sendable()]).toEqual(['2', '012'])
  expect(choice.findLimited()?.name).toBe('1')
})

test('some node is always tried: the one that has been paused longest', () => {
  const { readable, sendable } = open({ state: 'failing', waitMs: 900 }, { state: 'failing', waitMs: 100 })
  expect([readable(), sendable()]).toEqual(['1', '1'])
})

describe('with weights', () => {
  const HEALTHY: Node = { state: 'healthy', healthyMs: 60_000 }

  test('nodes get turns of a minute by their weights; within a turn reads stay', async () => {
    const clock = createManualClock()
    const { readable } = openWith({ weights: [3, 1, 0], clock }, { ...HEALTHY }, { ...HEALTHY }, { ...HEALTHY })
    const firsts: string[] = []
    for (let turn = 0; turn < 8; turn++) {
      const first = readable()[0] ?? ''
      await clock.advance(59_000)
      expect(readable()[0]).toBe(first)
      firsts.push(first)
      await clock.advance(1_000)
    }
    expect(firsts.join('')).toBe('00100010')
  })

  test('a node without weight is the last to be read from, and still gets sends', () => {
    const clock = createManualClock()
    const first: Node = { ...HEALTHY }
    const { readable, sendable, served } = openWith(
      { weights: [1, 0, 1], clock },
      first,
      { ...HEALTHY },
      { ...HEALTHY },
    )
    expect(readable()).toBe('021')
    expect(sendable()).toBe('012')
    Object.assign(first, { state: 'failing', waitMs: 100 })
    expect(readable()).toBe('21')
    // Having stood in once does not make it the one to read from.
    served(1)
    expect(readable()).toBe('21')
  })

  test('a node that has only just recovered gets no turn, and one that fails loses its turn', async () => {
    const clock = createManualClock()
    const [first, second]: readonly Node[] = [{ ...HEALTHY }, { ...HEALTHY, healthyMs: 1_000 }]
    if (first === undefined || second === undefined) throw new Error('two nodes')
    const { readable, served } = openWith({ weights: [1, 1], clock }, first, second)
    await clock.advance(60_000)
    expect(readable()).toBe('01')
    Object.assign(first, { state: 'failing', waitMs: 500, healthyMs: 0 })
    expect(readable()).toBe('1')
    served(1)
    Object.assign(first, { state: 'healthy', waitMs: 0 })
    expect(readable()).toBe('10')
  })
})
