import { expect, test } from 'vitest'
import type { KernelId } from '../../core/timer/timer.ts'
import type { StoredCommand } from '../../core/timer/timer-command.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { anyHash, anySpec } from '../../testing/store/sample-timers.ts'
import { createTimers } from './timers.ts'

const LANE = { chainId: 7, signer: `0x${'11'.repeat(20)}` } as const
const CRON = { type: 'cron', line: '* * * * *', timeMs: 0, dueHeight: 9 } as const

/** A node that refuses what is about an old kernel id, and timers that get a new one with each of the first requests. */
function setUp(schedule: typeof CRON | { readonly type: 'interval'; readonly everyBlocks: number }, moves: number) {
  let kernelId: KernelId = anyHash()
  const asked: StoredCommand[] = []
  const store = {
    findTimer: async () => ({ id: 't', kernelId, state: 'ACTIVE', spec: anySpec(LANE, { schedule }) }),
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
    chains: new Map(),
    clock: createManualClock(),
    random: { id: () => `id-${asked.length}` },
    maxPerTenant: 10,
    viewOf: () => null,
  })
  return { timers, asked }
}

test('a timer by cron that fires while it is cancelled is cancelled all the same', async () => {
  const { timers, asked } = setUp(CRON, 2)
  await timers.cancel('t')
  expect(asked.map(({ answer }) => answer?.type)).toEqual(['refused', 'refused', 'accepted'])
})

test('one that never stays as it is, or that somebody else changed, is refused', async () => {
  const restless = setUp(CRON, 100)
  await expect(restless.timers.cancel('t')).rejects.toMatchObject({ code: 'action_forbidden' })
  expect(restless.asked.length).toBe(5)
  const changed = setUp({ type: 'interval', everyBlocks: 2 }, 1)
  await expect(changed.timers.pause('t')).rejects.toMatchObject({ code: 'action_forbidden' })
  expect(changed.asked.length).toBe(1)
})
