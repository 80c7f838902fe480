/** What tests of the fast preset share: its policy with a short patience, blocks that go by, and an operator. */
import { expect } from 'vitest'
import { FAST, type Policy } from '../../core/lane/policy.ts'
import { transition } from '../../core/transaction/transition.ts'
import type { TestCluster } from './test-cluster.ts'

export const POLICY: Policy = { ...FAST, maxInFlight: 200, bumpAfterMs: 10_000 }
const BY = { actor: 'ann', reason: 'drill' }

export async function run(cluster: TestCluster, blocks: number): Promise<void> {
  for (let count = 0; count < blocks; count++) {
    await cluster.clock.advance(2_000)
    await cluster.mine()
  }
}

export async function operate(cluster: TestCluster, id: string, type: 'operator.cancelled' | 'operator.sped_up') {
  const tx = await cluster.find(id)
  const step = transition(tx, { type, at: cluster.clock.now(), by: BY }, POLICY)
  const { version, state, attempts } = tx
  const save = { before: { version, state, attemptCount: attempts.length }, tx: step.tx, notes: step.notes }
  expect(await cluster.store.amend(save, [])).toMatchObject({ type: 'written' })
  await cluster.clock.advance(100)
}
