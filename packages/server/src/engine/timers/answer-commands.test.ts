import { expect, test } from 'vitest'
import type { TimerCommand } from '../../core/timer/timer-command.ts'
import { anyHash, anyLabel, anySpec } from '../../testing/store/sample-timers.ts'
import { answerCommands } from './answer-commands.ts'
import { applyBlock, createHostState } from './host-state.ts'

const LANE = { chainId: 7, signer: `0x${'11'.repeat(20)}` } as const
const stored = (id: string, command: TimerCommand) => ({ id, chainId: LANE.chainId, command, answer: null })

test('a command that only another version knows is refused, and holds up none', () => {
  const unknown = { type: 'teleport' } as unknown as TimerCommand
  const params: TimerCommand = { type: 'params', change: { maxFiresPerBlock: 3 } }
  const { results } = answerCommands(
    createHostState(LANE.chainId),
    [stored('a', unknown), stored('b', params)],
    new Map(),
  )
  expect(results.map(({ id, answer }) => [id, answer.type])).toEqual([
    ['a', 'refused'],
    ['b', 'accepted'],
  ])
})

test('a new schedule ends the old one in the same step', () => {
  const set: TimerCommand = { type: 'set', timerId: 't', spec: anySpec(LANE, { bid: 0n }), label: anyLabel() }
  const first = answerCommands(createHostState(LANE.chainId), [stored('a', set)], new Map())
  const [started] = first.results.flatMap((result) => result.started ?? [])
  if (started === undefined) throw new Error('the timer was not set')
  const { kernelId } = started
  const timer = { state: 'ACTIVE', kernelId, dueHeight: 5, spec: set.spec } as never
  const spec = anySpec(LANE, { bid: 0n, schedule: { type: 'interval', everyBlocks: 9 } })
  const reschedule: TimerCommand = { type: 'reschedule', timerId: 't', kernelId, spec, isNext: false }
  const second = answerCommands(first.host, [stored('b', reschedule)], new Map([['t', timer]]))
  expect(second.results).toMatchObject([{ answer: { type: 'accepted' }, started: { timerId: 't', dueHeight: 9 } }])
  expect(second.host.kernel.timers.has(kernelId)).toBe(false)
  expect(second.host.kernel.timers.size).toBe(1)
  const other: TimerCommand = { ...reschedule, kernelId: anyHash() }
  const third = answerCommands(second.host, [stored('c', other)], new Map([['t', timer]]))
  expect(third.results).toMatchObject([{ answer: { type: 'refused', code: 'ERR_TIMER_NOT_FOUND' }, started: null }])
})

test('the next time of a cron line is set only between times; what its owner wants comes first', () => {
  const schedule = { type: 'cron', line: '0 9 * * *', timeMs: 0, dueHeight: 40 } as const
  const spec = anySpec(LANE, { bid: 0n, schedule })
  const kernelId = anyHash()
  const between = { state: 'ACTIVE', dueHeight: null, kernelId, spec } as never
  const waiting = { state: 'ACTIVE', dueHeight: 40, kernelId, spec } as never
  const answer = (command: TimerCommand, timer: never) =>
    answerCommands(createHostState(LANE.chainId), [stored('a', command)], new Map([['t', timer]])).results[0]
  const next: TimerCommand = { type: 'reschedule', timerId: 't', kernelId, spec, isNext: true }
  expect(answer(next, between)).toMatchObject({ answer: { type: 'accepted' }, started: { dueHeight: 40 } })
  expect(answer(next, waiting)).toMatchObject({ answer: { type: 'refused' }, started: null })
  expect(answer({ ...next, isNext: false }, between)).toMatchObject({ started: { dueHeight: 40 } })
  const retire: TimerCommand = { type: 'retire', timerId: 't', kernelId, spec, tenant: '', failures: 3 }
  expect(answer(retire, between)).toMatchObject({ answer: { type: 'accepted' } })
  expect(answer({ type: 'cancel', timerId: 't', kernelId, spec }, between)).toMatchObject({
    answer: { type: 'accepted' },
  })
  expect(answer({ type: 'pause', timerId: 't', kernelId, spec }, between)).toMatchObject({
    answer: { type: 'refused' },
  })
  const done = { state: 'DONE', dueHeight: null, kernelId, spec } as never
  for (const type of ['cancel', 'pause'] as const)
    expect(answer({ type, timerId: 't', kernelId, spec }, done)).toMatchObject({ answer: { type: 'refused' } })
})

test('a timeout so many blocks from now may meet blocks that came meanwhile; one at a height may not', () => {
  const start = createHostState(LANE.chainId)
  const block = { hash: anyHash(), parentHash: anyHash(), stateRoot: anyHash(), parentStateRoot: anyHash(), keys: [] }
  const host = applyBlock(start, { ...block, height: 12 }).host
  const set = (isCounted: boolean): TimerCommand => {
    const schedule = { type: 'timeout', dueHeight: 12, ...(isCounted && { isCounted }) } as const
    return { type: 'set', timerId: 't', spec: anySpec(LANE, { bid: 0n, schedule }), label: anyLabel() }
  }
  const answer = (isCounted: boolean) => answerCommands(host, [stored('a', set(isCounted))], new Map()).results
  expect(answer(true)).toMatchObject([{ answer: { type: 'accepted' }, started: { dueHeight: 13 } }])
  expect(answer(false)).toMatchObject([{ answer: { type: 'refused', code: 'ERR_INVALID_PARAM' } }])
})
