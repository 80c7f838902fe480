/** What a bid is worth: why it needs the scope `priority`, and that without bids nobody waits for another tenant's turn twice. */
import { expect, test } from 'vitest'
import type { Address } from '../../core/hex.ts'
import { anyBlock, anyLabel, anySpec } from '../../testing/store/sample-timers.ts'
import { admitCommand, applyBlock, createHostState, type HostState } from './host-state.ts'

const LANE = { chainId: 7, signer: `0x${'11'.repeat(20)}` } as const
const MAX_BID = 2n ** 96n
const BLOCKS = 200
/** Twice as many as fire in a block. */
const CROWD = 200

const targetOf = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`

function addTimer(host: HostState, target: Address, bid: bigint): HostState {
  const spec = anySpec(LANE, { target, bid, schedule: { type: 'interval', everyBlocks: 1 } })
  const admission = admitCommand(host, { type: 'set', timerId: target, spec, label: anyLabel() })
  if (admission.type === 'refused') throw new Error(admission.message)
  return admission.host
}

/** The heights at which each contract was called: many of one tenant, and the last of another, all every block. */
function runCrowd(crowdBid: bigint): readonly (readonly number[])[] {
  let { host } = applyBlock(createHostState(LANE.chainId), anyBlock(1))
  for (let n = 1; n <= CROWD; n++) host = addTimer(host, targetOf(n), crowdBid)
  host = addTimer(host, targetOf(CROWD + 1), 0n)
  const heights = new Map(Array.from({ length: CROWD + 1 }, (_, n) => [targetOf(n + 1), [] as number[]]))
  for (let height = 2; height < BLOCKS + 2; height++) {
    const applied = applyBlock(host, anyBlock(height))
    for (const { target } of applied.delivery?.entries ?? []) heights.get(target as Address)?.push(height)
    host = applied.host
  }
  return [...heights.values()]
}

test('without bids, contracts take turns, whoever has how many of them', () => {
  const counts = runCrowd(0n).map((heights) => heights.length)
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
  expect(counts.at(-1)).toBe(Math.floor((BLOCKS * 100) / (CROWD + 1)))
})

test('the highest bid puts its timers 64 blocks ahead of those without one, and no further', () => {
  const heights = runCrowd(MAX_BID).at(-1) ?? []
  const waits = heights.map((height, n) => height - (heights[n - 1] ?? 1))
  expect(waits.length).toBeGreaterThan(1)
  expect(Math.min(...waits)).toBeGreaterThan(60)
  expect(Math.max(...waits)).toBeLessThanOrEqual(64 + 3)
})
