import { expect, test } from 'vitest'
import type { KernelId } from '../../core/timer/timer.ts'
import type { StoredCommand } from '../../core/timer/timer-command.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { anyHash, anySpec } from '../../testing/store/sample-timers.ts'
import { describeQueue } from './describe-queue.ts'
import { createHostState } from './host-state.ts'
import { createTimers } from './timers.ts'

const LANE = { chainId: 7, signer: `0x${'11'.repeat(20)}` } as const
const CRON = { type: 'cron', line: '* * * * *', timeMs: 0, dueHeight: 9 } as const

/** A node that refuses what is about an old kernel id, and timers that get a new one with each of the first requests. */
function setUp(
  schedule: typeof CRON | { readonly type: 'interval'; readonly everyBlocks: number },
  moves: number,
  dueHeight: number | null = 9,
) {
  let kernelId: KernelId = anyHash()
  const asked: StoredCommand[] = []
  const store = {
    findTimer: async () => ({ id: 't', kernelId, state: 'ACTIVE', dueHeight, spec: anySpec(LANE, { schedule }) }),
    readQueue: async () => ({ queue: describeQueue(createHostState(LANE.chainId)), tip: { height: 0 } }),
    insertCommand: async ({ id, chainId, command }: Omit<StoredCommand, 'answer'>) => {
      if (asked.length < moves) kernelId = anyHash()
      const isOld = 'kernelId' in command && command.kernelId !== kernelId
      const answer = isOld
        ? ({ type: 'refused', code: 'ERR_TIMER_NOT_FOUND', message: 'the timer was resumed meanwhile' } as const)
        : ({ type: 'accepted', kernelId } as const)
      asked.push({ id, chainId, command, answer })
      return { type: 'inserted' }
    },
    findCommands: async (ids: readonly string[]) => ids.map((id) => asked.find((each) => each.id === id) ?? null),
  }
  const timers = createTimers({
    store: store as never,
    notices: { listen: () => () => {} } as never,
    signers: { find: async () => null },
    chains: new Map([[LANE.chainId, { chain: {} as never, blockTimeMs: 12_000 }]]),
    clock: createManualClock(),
    random: { id: () => `id-${asked.length}` },
    maxPerTenant: 10,
    maxPerSigner: 10,
    viewOf: () => ({ head: { number: 20, timestamp: 1_700_000_000 } }) as never,
  })
  return { timers, asked }
}

test('a timer by cron that fires while it is cancelled is cancelled all the same', async () => {
  const { timers, asked } = setUp(CRON, 2)
  await timers.cancel('t')
  expect(asked.map(({ answer }) => answer?.type)).toEqual(['refused', 'refused', 'accepted'])
})

test('an update that meets the next time of a timer by cron changes it all the same', async () => {
  const { timers, asked } = setUp(CRON, 2)
  await timers.update('t', { gasLimit: 5n })
  expect(asked.map(({ command, answer }) => [command.type, answer?.type])).toEqual([
    ['update', 'refused'],
    ['update', 'refused'],
    ['update', 'accepted'],
  ])
})

test('an update between two times sets the next one, with the new terms', async () => {
  const { timers, asked } = setUp(CRON, 0, null)
  await timers.update('t', { gasLimit: 5n })
  const [{ command } = { command: null }] = asked
  expect(command).toMatchObject({ type: 'reschedule', isNext: false, spec: { gasLimit: 5n } })
  expect(command).toMatchObject({ spec: { schedule: { type: 'cron', timeMs: 1_700_000_040_000 } } })
})

test('parameters that do not fit the current ones are refused, and nothing is stored', async () => {
  const { timers, asked } = setUp(CRON, 0)
  await expect(timers.changeParams(null, { minGasLimitPerTimer: '10000001' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('eighth'),
  })
  expect(asked).toEqual([])
})

test('one that never stays as it is, or that somebody else changed, is refused', async () => {
  const restless = setUp(CRON, 100)
  await expect(restless.timers.cancel('t')).rejects.toMatchObject({ code: 'action_forbidden' })
  expect(restless.asked.length).toBe(5)
  const changed = setUp({ type: 'interval', everyBlocks: 2 }, 1)
  await expect(changed.timers.pause('t')).rejects.toMatchObject({ code: 'action_forbidden' })
  expect(changed.asked.length).toBe(1)
})
