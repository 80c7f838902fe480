import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deliver } from './deliver/deliver.ts'
import { timersRoot } from './merkle/timer-leaves.ts'
import { TIMER_ERROR_PRECEDENCE } from './params/refusal.ts'
import { DEFAULT_PARAMS, mergeParams } from './params/timer-params.ts'
import { cancelTimer } from './set/cancel-timer.ts'
import { setInterval, setStateWatch, setTimeout, setTimer } from './set/set-timer.ts'
import { updateTimer } from './set/update-timer.ts'
import { A, ROOT, SmallWorld } from './small-world.suite.ts'

const junk = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withTypedArray: true, withNullPrototype: true }),
  fc.bigInt(),
  fc.constant(A),
  fc.constant(ROOT),
)
const field = fc.constantFrom(
  'kind',
  'target',
  'timerId',
  'dueHeight',
  'everyBlocks',
  'watchKeys',
  'payload',
  'gasLimit',
  'bidFp',
  'clientNonce',
  'due_time',
  '__proto__',
)
const bag = fc.oneof(junk, fc.dictionary(field, junk))
const nearly = fc
  .tuple(fc.constantFrom('HEIGHT', 'INTERVAL', 'STATE_WATCH'), fc.dictionary(field, junk, { maxKeys: 1 }))
  .map(([kind, change]) => ({
    kind,
    target: A,
    payload: '0x',
    gasLimit: 10_000,
    ...{ HEIGHT: { dueHeight: 9 }, INTERVAL: { everyBlocks: 2 }, STATE_WATCH: { watchKeys: [A] } }[kind],
    ...change,
  }))

test('no arguments crash a call; a refusal has a known code and leaves the state alone', () => {
  const world = new SmallWorld()
  const id = world.set({ everyBlocks: 1 })
  world.open(5n)
  const call = { caller: A, height: 5n, params: DEFAULT_PARAMS }
  const root = timersRoot(world.state)
  const calls = [setTimer, setTimeout, setInterval, setStateWatch, updateTimer, cancelTimer] as unknown as ((
    ...args: unknown[]
  ) => { type: string; code?: string })[]
  fc.assert(
    fc.property(
      fc.oneof(
        bag,
        nearly,
        fc.dictionary(field, junk).map((each) => ({ target: A, timerId: id, ...each })),
      ),
      (args) => {
        for (const each of calls) {
          const outcome = each(world.state, call, args)
          if (outcome.type === 'refused') expect(TIMER_ERROR_PRECEDENCE).toContain(outcome.code)
        }
      },
    ),
    { numRuns: 1_500 },
  )
  expect(timersRoot(world.state)).toBe(root)
})

test('whatever is accepted can be delivered', () => {
  fc.assert(
    fc.property(fc.array(nearly, { maxLength: 10 }), fc.array(fc.uint8Array()), (list, bytes) => {
      const keys = bytes.map((each) => `0x${Buffer.from(each).toString('hex')}`)
      const world = new SmallWorld()
      for (const args of list) world.trySet(args)
      for (const height of [1n, 9n, (1n << 64n) - 1n]) world.open(height).close({ modifiedKeys: [...keys, A, '0x'] })
      expect(world.state.height).toBe((1n << 64n) - 1n)
    }),
    { numRuns: 200 },
  )
})

test('no parameter change crashes, and what is accepted delivers', () => {
  const change = fc.dictionary(
    fc.constantFrom(...Object.keys(DEFAULT_PARAMS)),
    fc.oneof(junk, fc.nat(), fc.bigInt({ min: 0n, max: 1n << 90n })),
    { maxKeys: 3 },
  )
  const world = new SmallWorld()
  for (let n = 0; n < 4; n += 1) world.set({ dueHeight: 1 })
  fc.assert(
    fc.property(fc.oneof(change, junk), (each) => {
      const merged = mergeParams(DEFAULT_PARAMS, each)
      if (merged.type === 'refused') expect(merged.code).toBe('ERR_INVALID_PARAM')
      else deliver(world.state, { height: 1n, parentStateRoot: ROOT, modifiedKeys: [], params: merged.params })
    }),
    { numRuns: 1_000 },
  )
})
