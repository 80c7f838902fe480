import { describe, expect, test } from 'vitest'
import type { Hex } from '../bytes/hex.ts'
import { applyDelivery } from '../deliver/apply-delivery.ts'
import { deliver } from '../deliver/deliver.ts'
import { timersRoot } from '../merkle/timer-leaves.ts'
import { DEFAULT_PARAMS } from '../params/timer-params.ts'
import { addressOf, createRandom, createScript, playScript, printBlock } from '../random-script.suite.ts'
import type { TimerState } from '../state/timer-state.ts'
import type { SetTimerArguments } from './set-request.ts'
import { replaySets, setTimer } from './set-timer.ts'

const BLOCKS = 12
const MOST = 2 ** 32 - 1
const PARAMS = {
  ...DEFAULT_PARAMS,
  maxTimersPerOwner: MOST,
  maxTimersPerTarget: MOST,
  maxWatchersPerPrefix: MOST,
  maxFiresPerBlock: 40,
}

/** Some of them are refused. */
function randomSets(seed: number, count: number) {
  const random = createRandom(seed)
  const address = (): Hex => addressOf(random(8))
  return Array.from({ length: count }, () => {
    const schedules = [
      { kind: 'HEIGHT', dueHeight: BLOCKS + random(4) },
      { kind: 'INTERVAL', everyBlocks: random(4) },
      { kind: 'STATE_WATCH', watchKeys: [...new Set([address(), address()])] },
    ] as const
    const terms = {
      target: address(),
      payload: `0x0${random(9)}`,
      gasLimit: 5_000 + random(4) * 5_000,
      bidFp: random(3),
    }
    const args: SetTimerArguments = { ...terms, ...(schedules[random(3)] ?? schedules[0]) }
    return { call: { caller: address(), height: BigInt(BLOCKS), params: PARAMS }, args }
  })
}

/** What the next blocks publish. */
function goOn(start: TimerState): readonly string[] {
  let state = start
  return [1, 2, 3].map((n) => {
    const modifiedKeys = [addressOf(n), addressOf(n + 3)]
    const height = BigInt(BLOCKS + n)
    const delivery = deliver(state, { height, parentStateRoot: timersRoot(state), modifiedKeys, params: PARAMS })
    state = applyDelivery(state, delivery).state
    return printBlock(delivery, timersRoot(state), null)
  })
}

describe('sets of a log, replayed together', () => {
  test.each([1, 2, 31, 32, 33, 200])('%i of them give the state that one after the other gives [G9]', (count) => {
    for (let seed = 0; seed < 12; seed += 1) {
      const { final } = playScript(createScript(seed, BLOCKS), { shards: 1, rootless: true })
      const sets = randomSets(seed + 100 * count, count)
      const single = sets.reduce((state, { call, args }) => {
        const outcome = setTimer(state, call, args)
        return outcome.type === 'refused' ? state : outcome.state
      }, final)
      const together = replaySets(final, sets)
      expect(timersRoot(together)).toBe(timersRoot(single))
      expect(together.nextRank).toBe(single.nextRank)
      expect([...together.targetTallies.entries()].map(({ key, value }) => [key, value])).toEqual(
        [...single.targetTallies.entries()].map(({ key, value }) => [key, value]),
      )
      expect(goOn(together)).toEqual(goOn(single))
    }
  })

  test('one by client nonce is not for it', () => {
    const [set] = randomSets(1, 1)
    if (set === undefined) throw new Error('there is one')
    const { final } = playScript(createScript(1, BLOCKS), { shards: 1, rootless: true })
    const args = {
      ...set.args,
      kind: 'INTERVAL',
      everyBlocks: 1,
      gasLimit: 20_000,
      clientNonce: 3,
    } as SetTimerArguments
    expect(() => replaySets(final, [{ ...set, args }])).toThrow(RangeError)
  })
})
