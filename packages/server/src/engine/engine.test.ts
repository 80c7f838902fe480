import { describe, expect, test } from 'vitest'
import { STABLE } from '../core/policy.ts'
import { createTestCluster } from './test-cluster.suite.ts'

describe('one transaction', () => {
  test('goes from acceptance to final, each state stored before the next act', async () => {
    const cluster = await createTestCluster({ policy: STABLE })
    await cluster.startNode()
    const id = await cluster.submit()
    await cluster.clock.advance(100)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'pending', nonce: 0 })
    await cluster.mine()
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING', subState: 'mined' })
    await cluster.mine(2)
    expect(await cluster.find(id)).toMatchObject({ state: 'TRACKING' })
    await cluster.mine()
    expect(await cluster.find(id)).toMatchObject({ state: 'CONFIRMED', confirmations: [{}, {}, {}] })
  })
})
