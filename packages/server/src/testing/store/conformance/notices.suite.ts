/** Wake-ups: who is told what. They are hints, so order and repeats mean nothing. */
import { describe, expect, test } from 'vitest'
import { laneKey } from '../../../core/lane/lane.ts'
import type { Notice } from '../../../ports/notice.ts'
import type { Store } from '../../../ports/store.ts'
import { acceptOne, acquire, anyNew, anyNote, registerLane, toSave } from '../samples.ts'
import type { GetStore } from './store.suite.ts'

export function describeNotices(get: GetStore): void {
  describe('notices', () => {
    test('work, releases, events and nodes are told', async () => {
      const { store } = get()
      const ear = await openEar(store)
      const lane = await registerLane(store)
      await ear.hears({ type: 'nodes.changed' })
      const queued = await acceptOne(store, lane)
      await ear.hears({ type: 'lane.work', lane })
      await ear.hears({ type: 'events.appended' })
      const lease = await acquire(store, lane)
      ear.forget()
      await store.amend(toSave(queued, { ...queued, suspended: true }, 'operator.suspended'), [])
      await ear.hears({ type: 'lane.amended', lane, txId: queued.id })
      await store.releaseLeases([lease])
      await ear.hears({ type: 'lane.released', lane })
      ear.forget()
      await store.heartbeat({ nodeId: `born-${laneKey(lane)}`, address: null, chains: null, ttlMs: 1_000 })
      await ear.hears({ type: 'nodes.changed' })
      ear.forget()
      await store.removeNode(`born-${laneKey(lane)}`)
      await ear.hears({ type: 'nodes.changed' })
      ear.forget()
      await store.updateSigner(lane, { paused: true }, anyNote())
      await ear.hears({ type: 'lane.work', lane })
      ear.close()
    })

    test('who has stopped listening hears nothing more, and others still do', async () => {
      const { store } = get()
      const [gone, here] = [await openEar(store), await openEar(store)]
      gone.close()
      gone.forget()
      const lane = await registerLane(store)
      await store.insertTransactions([anyNew(lane)])
      await here.hears({ type: 'lane.work', lane })
      expect(gone.heard()).toEqual([])
      here.close()
    })
  })
}

interface Ear {
  /** Resolves when this has been said since the last `forget`. */
  hears(notice: Notice): Promise<void>
  heard(): readonly Notice[]
  forget(): void
  close(): void
}

/** Listens, and waits until the line is known to be open: until something said is heard. */
async function openEar(store: Store): Promise<Ear> {
  let heard: Notice[] = []
  let wake: () => void = () => {}
  const close = store.listen((notice) => {
    heard.push(notice)
    wake()
  })
  const hears = async (notice: Notice): Promise<void> => {
    const wanted = JSON.stringify(notice)
    while (!heard.some((each) => JSON.stringify(each) === wanted)) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  const lane = await registerLane(store)
  const isOpen = new Promise<void>((resolve) => {
    wake = resolve
  })
  await acceptOne(store, lane)
  // A gap tells that the line is open; on one that was open before, it is the work that is heard.
  await isOpen
  heard = []
  return {
    hears,
    heard: () => heard,
    forget: () => {
      heard = []
    },
    close,
  }
}
