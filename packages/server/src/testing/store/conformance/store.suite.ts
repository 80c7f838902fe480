/** What every store must do: run against the model in memory and against PostgreSQL. */
import { afterAll, beforeAll, describe } from 'vitest'
import type { Store } from '../../../ports/store.ts'
import { describeAcceptance } from './acceptance.suite.ts'
import { describeEvents } from './events.suite.ts'
import { describeLaneRetention } from './lane-retention.suite.ts'
import { describeLaneWrites } from './lane-writes.suite.ts'
import { describeLeases } from './leases.suite.ts'
import { describeNodes } from './nodes.suite.ts'
import { describeNotices } from './notices.suite.ts'
import { describeReach } from './reach.suite.ts'
import { describeReads } from './reads.suite.ts'
import { describeRequests } from './requests.suite.ts'
import { describeRetention } from './retention.suite.ts'
import { describeRoundTrip } from './round-trip.suite.ts'
import { describeSpending } from './spending.suite.ts'

export interface StoreUnderTest {
  readonly store: Store
  /** Lets leases and heartbeats grow older by this much. */
  elapse(ms: number): Promise<void>
  /** From here on there is an API key with this id, and it is revoked. */
  revokeKey(id: string): Promise<void>
  close(): Promise<void>
}

/** The store of the suite, once it is there. Every test uses lanes of its own. */
export type GetStore = () => StoreUnderTest

export function describeStore(name: string, create: () => Promise<StoreUnderTest>): void {
  describe(name, () => {
    let subject: StoreUnderTest | undefined
    beforeAll(async () => {
      subject = await create()
    })
    afterAll(async () => {
      await subject?.close()
    })
    const get: GetStore = () => {
      if (subject === undefined) throw new Error('the store is not there yet')
      return subject
    }
    describeAcceptance(get)
    describeRetention(get)
    describeLaneRetention(get)
    describeLeases(get)
    describeNodes(get)
    describeLaneWrites(get)
    describeRequests(get)
    describeRoundTrip(get)
    describeEvents(get)
    describeReads(get)
    describeReach(get)
    describeNotices(get)
    describeSpending(get)
  })
}
