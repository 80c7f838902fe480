import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jainIndex } from './block-measure.ts'
import { CONGESTION_DEMO } from './congestion-demo.ts'
import { parseScenario } from './parse-scenario.ts'
import { type Simulation, simulateTimers } from './simulate.ts'

function simulated(scenario: unknown): Extract<Simulation, { type: 'simulated' }> {
  const outcome = simulateTimers(JSON.stringify(scenario))
  if (outcome.type !== 'simulated') throw new Error(outcome.problems.join('\n'))
  return outcome
}

function problems(scenario: unknown): readonly string[] {
  const outcome = simulateTimers(JSON.stringify(scenario))
  return outcome.type === 'invalid' ? outcome.problems : []
}

const actors = [{ name: 'a' }, { name: 'b', handler: 'recorder' }]

describe('a scenario file', () => {
  test('plays timeouts, intervals and watches', () => {
    const { report } = simulated({
      blocks: 12,
      actors,
      timers: [
        { name: 'once', actor: 'a', dueIn: 3 },
        { name: 'often', actor: 'a', every: 2 },
        { name: 'watch', actor: 'a', watch: ['b'] },
      ],
      calls: [{ actor: 'b', from: 4, repeatEvery: 4 }],
    })
    expect(report.plans.map(({ name, set, fires }) => [name, set, fires])).toEqual([
      ['once', 1, 1],
      ['often', 1, 5],
      ['watch', 1, 3],
    ])
    expect(report.refusals).toEqual({ count: 0, first: null })
    expect(report.blocks.map(({ fires }) => fires)).toEqual([0, 0, 1, 2, 1, 0, 1, 1, 1, 0, 1, 1])
  })
  test('what the chain refuses is counted, with its reason', () => {
    const { report, table } = simulated({
      blocks: 2,
      actors,
      timers: [{ actor: 'a', dueIn: 1, gasLimit: 5, count: 2 }],
    })
    expect(report.refusals).toMatchObject({ count: 2, first: expect.stringContaining('gasLimit') })
    expect(table).toContain('2 transactions were refused')
  })
  test('the same file gives the same bytes', () => {
    expect(simulateTimers(CONGESTION_DEMO)).toEqual(simulateTimers(CONGESTION_DEMO))
  })
})

describe('problems in a scenario name their field, all at once', () => {
  test('by path', () => {
    expect(
      problems({
        blocks: 0,
        speed: 1,
        params: { maxFiresPerBlock: 1.5, wBid: 'x', isolateUpdates: 1, bucketBounds: [1, 'y'], nope: 1 },
        actors: [{ handler: 'nothing' }, 5],
        timers: [{ actor: 'z', dueIn: 1, every: 2, bid: '1e3' }, { actor: 'z' }],
        calls: {},
      }).map((line) => line.split(' ')[0]),
    ).toEqual([
      'speed',
      'blocks',
      'actors[1]',
      'actors[0].handler',
      'actors[0].name',
      'actors[1].name',
      'params.nope',
      'params.maxFiresPerBlock',
      'params.wBid',
      'params.isolateUpdates',
      'params.bucketBounds',
      'timers[0].actor',
      'timers[0]',
      'timers[0].bid',
      'timers[1].actor',
      'timers[1]',
      'calls',
    ])
  })
  test('unsafe parameters are told as such', () => {
    expect(problems({ blocks: 1, params: { wAge: '1' } })).toEqual([
      expect.stringMatching(/^params .*maxStarvationBlocks/),
    ])
    expect(problems({ blocks: 1, params: { wFifo: '-5' } })).toEqual([])
  })
  test('an unknown actor, two of one name, and an unknown watch', () => {
    const twice = [{ name: 'a' }, { name: 'a' }]
    expect(problems({ blocks: 1, actors: twice, timers: [{ actor: 'a', watch: ['q'] }] })).toEqual([
      'actors has two actors of one name',
      'timers[0].watch names an unknown actor q',
    ])
  })
  test('what could not be played, or would be passed over', () => {
    const timer = { actor: 'a', dueIn: 1 }
    expect(problems({ blocks: 9, actors, timers: [{ ...timer, until: 5 }] })).toEqual([
      'timers[0].until has no meaning without repeatEvery',
    ])
    expect(problems({ blocks: 9, actors, timers: [{ ...timer, payloadBytes: 4_095 }] })).toHaveLength(1)
    const { report } = simulated({ blocks: 2, actors, timers: [{ ...timer, payloadBytes: 4_094 }] })
    expect(report).toMatchObject({ refusals: { count: 0 }, plans: [{ fires: 1 }] })
    const flood = { ...timer, count: 10_000, repeatEvery: 1 }
    expect(problems({ blocks: 101, actors, timers: [flood] })).toEqual([
      'timers would set 1010000 timers; at most 1000000 can be played',
    ])
    expect(problems({ blocks: 1, params: { timerLaneCycles: '10000001' } })).toEqual([
      expect.stringContaining('half of a block'),
    ])
  })
  test('what is not JSON is said to be so', () => {
    expect(simulateTimers('{')).toMatchObject({ type: 'invalid', problems: [expect.stringContaining('not JSON')] })
  })
  test('no text crashes the parser', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['scenario', 'invalid']).toContain(parseScenario(text).type)
      }),
    )
  })
  test('bids are exact', () => {
    const parsed = parseScenario(
      JSON.stringify({
        blocks: 1,
        actors,
        timers: [
          { actor: 'a', dueIn: 1, bid: '0.25' },
          { actor: 'a', dueIn: 1, bid: 1 },
        ],
      }),
    )
    expect(parsed).toMatchObject({ scenario: { timers: [{ bidFp: 1n << 94n }, { bidFp: 1n << 96n }] } })
  })
})

describe('the congestion demo', () => {
  const demo = simulateTimers()
  if (demo.type !== 'simulated') throw new Error(demo.problems.join('\n'))
  const { report, table, svg } = demo

  test('shows congestion, and everyone still being served', () => {
    expect(report.refusals).toEqual({ count: 0, first: null })
    expect(Math.max(...report.blocks.map(({ waiting }) => waiting))).toBeGreaterThan(50)
    expect(report.blocks.every(({ fires }) => fires <= 6)).toBe(true)
    const charity = report.plans.find(({ name }) => name.startsWith('charity'))
    expect(charity?.maxWaitBlocks).toBeGreaterThan(5)
    expect(charity?.fires).toBeGreaterThan(10)
    expect(report.blocks.at(-1)?.waiting).toBe(0)
  })
  test('as a table: one row per block and one per plan', () => {
    const lines = table.split('\n')
    expect(lines.filter((line) => /^\s*\d+ /.test(line))).toHaveLength(report.scenario.blocks)
    expect(lines.filter((line) => line.startsWith('whale flood'))).toHaveLength(1)
    expect(table).toContain(report.stateRoot)
  })
  test('as an image: a point per block, a dot per fire, every group named, and names escaped', () => {
    const curves = [...svg.matchAll(/points="([^"]*)"/g)].map(([, points]) => points?.split(' ').length)
    expect(curves).toEqual(Array(5).fill(report.scenario.blocks))
    const fires = report.blocks.reduce((sum, block) => sum + block.fires, 0)
    expect([...svg.matchAll(/<circle /g)]).toHaveLength(fires)
    for (const { name } of report.plans) expect(svg).toContain(`>${name}<`)
    expect(svg).not.toContain('NaN')
    const { svg: odd } = simulated({ name: '<b>&"', blocks: 1 })
    expect(odd).not.toContain('<b>')
  })
})

test('Jain’s index: 1 for equal shares, 1/n when one takes all', () => {
  expect(jainIndex([3, 3, 3])).toBe(1)
  expect(jainIndex([5, 0, 0, 0, 0])).toBe(0.2)
  expect(jainIndex([])).toBe(1)
})
