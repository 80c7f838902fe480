import { expect, test } from 'vitest'
import type { Hex } from '../../core/hex.ts'
import type { TimerCommand } from '../../core/timer/timer-command.ts'
import type { Incarnation, TimerHolder } from '../../ports/timer-store.ts'
import { anyLabel, anySpec } from '../../testing/store/sample-timers.ts'
import { answerCommands } from './answer-commands.ts'
import { createHostState } from './host-state.ts'
import { createTenantShares } from './tenant-shares.ts'

const LANE = { chainId: 7, signer: `0x${'11'.repeat(20)}` } as const
const KEY: Hex = `0x${'aa'.repeat(20)}`

/** A node that answers what comes together, and what it has read from the store. */
function setUp() {
  let host = createHostState(LANE.chainId)
  let ids = 0
  const known = new Map<string, Incarnation>()
  const reads: (readonly string[] | TimerHolder)[] = []
  const readShares = createTenantShares({
    chainId: LANE.chainId,
    percent: 25,
    store: {
      readIncarnations: async (kernelIds) => {
        reads.push(kernelIds)
        return kernelIds.flatMap((id) => known.get(id) ?? [])
      },
      countTimers: async (_, of) => {
        reads.push(of)
        return 0
      },
    },
  })
  const watch = (tenant: string): TimerCommand => {
    const target = `0x${(++ids).toString(16).padStart(40, '0')}` as const
    const spec = anySpec(LANE, { bid: 0n, target, schedule: { type: 'watch', keys: [KEY] } })
    return { type: 'set', timerId: `t${ids}`, spec, label: anyLabel({ tenant }) }
  }
  const answer = async (...commands: readonly TimerCommand[]) => {
    const stored = commands.map((command, n) => ({ id: `c${n}`, chainId: LANE.chainId, command, answer: null }))
    const answered = answerCommands(host, stored, new Map(), await readShares(host, stored, new Map()))
    host = answered.host
    for (const { started, logged } of answered.results)
      if (started !== null && logged?.command.type === 'set')
        known.set(started.kernelId, { ...started, tenant: logged.command.label?.tenant } as never)
    return answered.results.filter(({ answer: { type } }) => type === 'accepted').length
  }
  const many = (tenant: string, count: number) => Array.from({ length: count }, () => watch(tenant))
  return { answer, many, reads }
}

test('nothing is read while nobody could have a full share', async () => {
  const { answer, many, reads } = setUp()
  expect(await answer(...many('shop', 100))).toBe(100)
  expect(await answer(...many('shop', 28))).toBe(28)
  expect(reads).toEqual([])
})

test('a full share is found by one read, which is not made again', async () => {
  const { answer, many, reads } = setUp()
  expect(await answer(...many('shop', 200))).toBe(128)
  expect(await answer(...many('shop', 10), ...many('bank', 10))).toBe(10)
  expect(reads.map((read) => (Array.isArray(read) ? read.length : read))).toEqual([128])
  expect(await answer(...many('shop', 1))).toBe(0)
  expect(reads).toHaveLength(2)
  expect(reads[1]).toHaveLength(10)
})

test('shares add up to all places, and without API keys one tenant has them all', async () => {
  const { answer, many } = setUp()
  expect(await answer(...['a', 'b', 'c', 'd'].flatMap((tenant) => many(tenant, 150)))).toBe(512)
  const alone = setUp()
  expect(await alone.answer(...alone.many('', 600))).toBe(512)
})
