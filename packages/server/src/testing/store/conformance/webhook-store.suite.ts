/** What every store of webhooks must do: run against the model in memory and against PostgreSQL. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Lane } from '../../../core/lane/lane.ts'
import type { EventFilter } from '../../../core/webhook/event-filter.ts'
import type { Delivery } from '../../../core/webhook/webhook.ts'
import type { Store } from '../../../ports/store.ts'
import type {
  AttemptResult,
  DueDelivery,
  NewWebhook,
  WebhookLease,
  WebhookStore,
} from '../../../ports/webhook-store.ts'
import { acceptOne, acquire, allocateOne, registerLane, toConfirmed, toSave, toTracking, toWrite } from '../samples.ts'

export interface WebhookStoreUnderTest {
  readonly webhooks: WebhookStore
  /** Whose events they are told of. */
  readonly store: Store
  /** Lets leases, pauses and all that is kept grow older by this much. */
  elapse(ms: number): Promise<void>
  close(): Promise<void>
}

const TTL_MS = 10_000
const DAY_MS = 86_400_000
const ALL: EventFilter = { types: null, chainId: null, signer: null, completions: false }
const ANSWER = { status: 200, error: null, response: 'ok', durationMs: 5 }
const PLAN = { events: 1_000, pending: 10_000, due: 1_000 }
const PLANNED_ALL = { more: false, isHeldBack: false }

export function describeWebhookStore(name: string, create: () => Promise<WebhookStoreUnderTest>): void {
  describe(name, () => {
    let subject: WebhookStoreUnderTest
    let webhooks: WebhookStore
    let store: Store
    beforeAll(async () => {
      subject = await create()
      webhooks = subject.webhooks
      store = subject.store
    })
    afterAll(() => subject?.close())

    function anyWebhook(change: Partial<NewWebhook> = {}): NewWebhook {
      return {
        id: randomUUID(),
        url: 'https://example.com/hook',
        description: null,
        filter: ALL,
        secret: 'whsec_c2VjcmV0',
        after: null,
        createdBy: 'tests',
        ...change,
      }
    }

    /** One webhook for the events of a lane of its own, leased to a node of its own; all others are out of the way. */
    async function start(change: Partial<NewWebhook> = {}) {
      for (const other of await webhooks.listWebhooks()) await webhooks.deleteWebhook(other.id)
      const lane = await registerLane(store)
      const filter = { ...ALL, signer: lane.signer, ...change.filter }
      const webhook = await webhooks.insertWebhook(anyWebhook({ ...change, filter }), 100)
      if (webhook === null) throw new Error('not inserted')
      const node: string = randomUUID()
      const [lease] = await webhooks.keepWebhooks(node, 1, TTL_MS)
      if (lease === undefined) throw new Error('not leased')
      return { lane, webhook, node, lease }
    }

    type Started = Awaited<ReturnType<typeof start>>

    const readDue = async ({ node, lease }: Pick<Started, 'node' | 'lease'>, room = 100, busy: string[] = []) =>
      (await webhooks.readDue(node, [{ webhookId: lease.webhookId, fence: lease.fence, room, busy }])).due

    function settle(
      { node }: Pick<Started, 'node'>,
      due: readonly Pick<DueDelivery, 'delivery' | 'fence'>[],
      outcome: AttemptResult['outcome'] = { type: 'delivered' },
      more: Partial<AttemptResult> = {},
    ) {
      const results = due.map((item) => ({ due: item, outcome, answer: ANSWER, isGone: false, ...more }))
      return webhooks.settleDeliveries(node, results, 5 * DAY_MS)
    }

    const logOf = async ({ webhook }: Started): Promise<readonly Delivery[]> =>
      [...(await webhooks.listDeliveries(webhook.id, { state: null, before: null, limit: 1_000 }))].reverse()

    /** A transaction with four events: accepted, allocated, sent, final. */
    async function finishOne(lane: Lane, nonce: number): Promise<string> {
      const lease = await acquire(store, lane)
      const allocated = await allocateOne(store, lease, nonce)
      const tracking = { ...toTracking(allocated), version: allocated.version + 1 }
      await store.writeLanes([toWrite(lease, [toSave(allocated, toTracking(allocated), 'sent')])])
      await store.writeLanes([toWrite(lease, [toSave(tracking, toConfirmed(allocated), 'finality.reached')])])
      await store.releaseLeases([lease])
      return allocated.id
    }

    describe('webhooks', () => {
      test('all of one comes back, but its secret', async () => {
        const given = anyWebhook({
          description: 'Zoë’s',
          after: 7,
          secret: 'whsec_aGlkZGVu',
          filter: { types: ['a.b', 'c'], chainId: 5, signer: `0x${'ab'.repeat(20)}`, completions: true },
        })
        const made = await webhooks.insertWebhook(given, 100)
        expect(made).toEqual({
          id: given.id,
          url: given.url,
          description: 'Zoë’s',
          filter: given.filter,
          createdBy: 'tests',
          disabled: null,
          failingSince: null,
          plannedTo: 7,
          previousSecretUntil: null,
          createdAt: expect.any(Number),
        })
        expect(await webhooks.findWebhook(given.id)).toEqual(made)
        expect(await webhooks.listWebhooks()).toContainEqual(made)
        expect(JSON.stringify(made)).not.toContain('aGlkZGVu')
        expect(await webhooks.deleteWebhook(given.id)).toEqual(made)
        expect([await webhooks.findWebhook(given.id), await webhooks.deleteWebhook(given.id)]).toEqual([null, null])
      })

      test('it starts with new events; the number of webhooks is limited', async () => {
        await acceptOne(store, await registerLane(store))
        const made = await webhooks.insertWebhook(anyWebhook(), 100)
        expect(made?.plannedTo).toBe(await store.findLastEventId())
        expect(await webhooks.insertWebhook(anyWebhook(), (await webhooks.listWebhooks()).length)).toBe(null)
      })

      test('changes what is given and leaves the rest', async () => {
        const { webhook } = await start({ description: 'x' })
        const filter = { ...ALL, completions: true }
        expect(await webhooks.updateWebhook(webhook.id, { filter })).toEqual({ ...webhook, filter })
        expect(await webhooks.updateWebhook(webhook.id, { url: 'https://other.example', description: null })).toEqual({
          ...webhook,
          filter,
          url: 'https://other.example',
          description: null,
        })
        const off = await webhooks.updateWebhook(webhook.id, { enabled: false })
        expect(off?.disabled).toEqual({ reason: 'operator', at: expect.any(Number) })
        expect(await webhooks.updateWebhook(webhook.id, { enabled: false })).toEqual(off)
        expect((await webhooks.updateWebhook(webhook.id, { enabled: true }))?.disabled).toBe(null)
        expect(await webhooks.updateWebhook(randomUUID(), { enabled: true })).toBe(null)
      })
    })

    describe('leases', () => {
      const idsOf = (leases: readonly WebhookLease[]) => leases.map(({ webhookId }) => webhookId).sort()

      test('one node at a time; the next after it has expired, or was released, with a higher fence', async () => {
        const { webhook, node, lease } = await start()
        expect(await webhooks.keepWebhooks('b', 1, TTL_MS)).toEqual([])
        expect(await webhooks.keepWebhooks(node, 1, TTL_MS)).toEqual([lease])
        await subject.elapse(TTL_MS + 1)
        const [second] = await webhooks.keepWebhooks('b', 1, TTL_MS)
        expect(second).toEqual({ webhookId: webhook.id, fence: lease.fence + 1, isSurplus: false })
        await webhooks.releaseWebhooks(node, [webhook.id])
        expect(await webhooks.keepWebhooks(node, 1, TTL_MS)).toEqual([])
        await webhooks.releaseWebhooks('b', [webhook.id])
        expect(await webhooks.keepWebhooks(node, 1, TTL_MS)).toEqual([{ ...second, fence: lease.fence + 2 }])
      })

      test('nodes share webhooks; a node with too many learns which to release', async () => {
        const { node } = await start()
        for (let index = 0; index < 4; index++) await webhooks.insertWebhook(anyWebhook(), 100)
        expect((await webhooks.keepWebhooks(node, 1, TTL_MS)).length).toBe(5)
        const kept = await webhooks.keepWebhooks(node, 2, TTL_MS)
        const surplus = idsOf(kept.filter(({ isSurplus }) => isSurplus))
        expect([kept.length, surplus.length]).toEqual([5, 2])
        await webhooks.releaseWebhooks(node, surplus)
        expect(idsOf(await webhooks.keepWebhooks('b', 2, TTL_MS))).toEqual(surplus)
        expect((await webhooks.keepWebhooks(node, 2, TTL_MS)).every(({ isSurplus }) => !isSurplus)).toBe(true)
      })

      test('one that is disabled is nobody’s', async () => {
        const { webhook, node } = await start()
        await webhooks.updateWebhook(webhook.id, { enabled: false })
        expect(await webhooks.keepWebhooks(node, 1, TTL_MS)).toEqual([])
        await webhooks.updateWebhook(webhook.id, { enabled: true })
        await subject.elapse(TTL_MS + 1)
        expect((await webhooks.keepWebhooks('b', 1, TTL_MS)).length).toBe(1)
      })
    })

    describe('planning', () => {
      test('each event once, in order; the filter of the webhook decides [G8]', async () => {
        const started = await start()
        const other = await registerLane(store)
        await acceptOne(store, other)
        const id = await finishOne(started.lane, 0)
        expect(await webhooks.planDeliveries(started.node, PLAN)).toEqual({ planned: 4, ...PLANNED_ALL })
        expect(await webhooks.planDeliveries(started.node, PLAN)).toEqual({ planned: 0, ...PLANNED_ALL })
        const log = await logOf(started)
        expect(log.map(({ txId, type, state }) => [txId, type, state])).toEqual(
          ['accepted', 'to.ALLOCATED', 'sent', 'finality.reached'].map((type) => [id, type, 'PENDING']),
        )
        expect((await webhooks.findWebhook(started.webhook.id))?.plannedTo).toBe(await store.findLastEventId())
      })

      test.each<[string, Partial<EventFilter>, readonly string[]]>([
        ['types', { types: ['sent', 'accepted'] }, ['accepted', 'sent']],
        ['completions', { completions: true }, ['finality.reached']],
        ['another chain', { chainId: 999_999 }, []],
      ])('%s', async (_, filter, types) => {
        const started = await start()
        await webhooks.updateWebhook(started.webhook.id, {
          filter: { ...started.webhook.filter, ...filter },
        })
        await finishOne(started.lane, 0)
        await webhooks.planDeliveries(started.node, PLAN)
        expect((await logOf(started)).map(({ type }) => type)).toEqual(types)
      })

      test('events per step and pending deliveries are bounded', async () => {
        const started = await start()
        await finishOne(started.lane, 0)
        await finishOne(started.lane, 1)
        const plan = (events: number) => webhooks.planDeliveries(started.node, { ...PLAN, events, pending: 6 })
        expect(await plan(5)).toEqual({ planned: 5, more: true, isHeldBack: false })
        expect(await plan(2)).toEqual({ planned: 2, more: true, isHeldBack: false })
        expect(await plan(5)).toEqual({ planned: 0, more: false, isHeldBack: true })
        await settle(started, await readDue(started))
        expect(await plan(5)).toMatchObject({ planned: 1, isHeldBack: false })
      })

      test('a receiver with so many to send now gets no more until it takes some; those to be retried later do not count', async () => {
        const started = await start()
        for (const nonce of [0, 1, 2]) await finishOne(started.lane, nonce)
        const plan = () => webhooks.planDeliveries(started.node, { ...PLAN, events: 4, due: 1 })
        expect(await plan()).toEqual({ planned: 4, more: true, isHeldBack: false })
        expect(await plan()).toEqual({ planned: 0, more: false, isHeldBack: true })
        await settle(started, await readDue(started), { type: 'retry', pauseMs: 60_000 })
        expect(await plan()).toEqual({ planned: 4, more: true, isHeldBack: false })
        expect((await plan()).isHeldBack).toBe(true)
      })

      test('not by a node that has lost its lease, and not twice by the one that takes over', async () => {
        const started = await start()
        await finishOne(started.lane, 0)
        await subject.elapse(TTL_MS + 1)
        expect((await webhooks.planDeliveries(started.node, PLAN)).planned).toBe(0)
        await webhooks.keepWebhooks('b', 1, TTL_MS)
        expect((await webhooks.planDeliveries('b', PLAN)).planned).toBe(4)
        expect((await webhooks.planDeliveries('b', PLAN)).planned).toBe(0)
      })
    })

    describe('delivering', () => {
      test('the first of each transaction is due; the next when it is settled; others are not held up', async () => {
        const started = await start()
        const [a, b] = [await finishOne(started.lane, 0), await finishOne(started.lane, 1)]
        await webhooks.planDeliveries(started.node, PLAN)
        const first = await readDue(started)
        expect(first.map(({ delivery }) => [delivery.txId, delivery.type])).toEqual([
          [a, 'accepted'],
          [b, 'accepted'],
        ])
        await settle(started, first.slice(0, 1), { type: 'retry', pauseMs: 60_000 })
        for (const type of ['accepted', 'to.ALLOCATED', 'sent', 'finality.reached']) {
          const due = await readDue(started)
          expect(due.map(({ delivery }) => [delivery.txId, delivery.type])).toEqual([[b, type]])
          await settle(started, due)
        }
        expect(await readDue(started)).toEqual([])
        await webhooks.keepWebhooks(started.node, 1, 10 * TTL_MS)
        await subject.elapse(60_000)
        expect((await readDue(started)).map(({ delivery }) => [delivery.txId, delivery.type])).toEqual([
          [a, 'accepted'],
        ])
      })

      test('what is handed out has all that it needs', async () => {
        const started = await start({ url: 'https://example.com/a?b=c', secret: 'whsec_b25l' })
        await acceptOne(store, started.lane)
        await webhooks.planDeliveries(started.node, PLAN)
        const [due] = await readDue(started)
        expect(due).toMatchObject({
          url: 'https://example.com/a?b=c',
          secrets: ['whsec_b25l'],
          body: null,
          sinceFirstMs: null,
          event: { type: 'accepted', lane: started.lane, eventId: due?.delivery.eventId },
        })
      })

      test('when the next one is due is told; what is under way is not handed out again', async () => {
        const started = await start()
        await acceptOne(store, started.lane)
        await acceptOne(store, started.lane)
        await webhooks.planDeliveries(started.node, PLAN)
        const [first, second] = await readDue(started)
        if (first === undefined || second === undefined) throw new Error('not due')
        expect((await readDue(started, 1)).length).toBe(1)
        expect((await readDue(started, 9, [first.delivery.id])).map(({ delivery }) => delivery.id)).toEqual([
          second.delivery.id,
        ])
        await settle(started, [first, second], { type: 'retry', pauseMs: 5_000 })
        await subject.elapse(10)
        const { webhookId, fence } = started.lease
        const rooms = [{ webhookId, fence, room: 5, busy: [] }]
        const { due, nextInMs, longestWaitMs } = await webhooks.readDue(started.node, rooms)
        expect(due).toEqual([])
        // They wait, though none of them is due.
        expect(longestWaitMs).toBeGreaterThanOrEqual(10)
        expect(nextInMs).toBeGreaterThan(0)
        expect(nextInMs).toBeLessThanOrEqual(5_000)
      })

      test('the log tells of the last attempt', async () => {
        const started = await start()
        await acceptOne(store, started.lane)
        await webhooks.planDeliveries(started.node, PLAN)
        const answer = { status: 503, error: 'busy', response: 'later\u0000', durationMs: 12 }
        await settle(started, await readDue(started), { type: 'retry', pauseMs: 0 }, { answer })
        const [due] = await readDue(started)
        expect(due?.sinceFirstMs).toBeGreaterThanOrEqual(12)
        expect((await logOf(started))[0]).toMatchObject({
          state: 'PENDING',
          attempts: 1,
          settledAt: null,
          lastAttempt: { status: 503, error: 'busy', response: expect.stringContaining('later'), durationMs: 12 },
        })
        await settle(started, due === undefined ? [] : [due], { type: 'failed' })
        expect((await logOf(started))[0]).toMatchObject({
          state: 'FAILED',
          attempts: 2,
          settledAt: expect.any(Number),
          dueAt: null,
        })
      })

      test('one that failed for good makes way for the next', async () => {
        const started = await start()
        await finishOne(started.lane, 0)
        await webhooks.planDeliveries(started.node, PLAN)
        await settle(started, await readDue(started), { type: 'failed' })
        expect((await readDue(started)).map(({ delivery }) => delivery.type)).toEqual(['to.ALLOCATED'])
      })

      test('a node that lost its lease settles nothing; the new owner delivers again [G7]', async () => {
        const started = await start()
        await finishOne(started.lane, 0)
        await webhooks.planDeliveries(started.node, PLAN)
        const due = await readDue(started)
        await subject.elapse(TTL_MS + 1)
        await settle(started, due)
        const [lease] = await webhooks.keepWebhooks('b', 1, TTL_MS)
        if (lease === undefined) throw new Error('not taken')
        await settle(started, due)
        await settle({ node: 'b' }, due)
        const again = await readDue({ node: 'b', lease })
        expect(again.map(({ delivery }) => delivery.id)).toEqual(due.map(({ delivery }) => delivery.id))
        await settle({ node: 'b' }, again)
        await settle({ node: 'b' }, again, { type: 'failed' })
        expect((await logOf(started))[0]).toMatchObject({ state: 'DELIVERED', attempts: 1 })
      })
    })

    describe('by hand', () => {
      test('a test event has its own body and waits for nothing', async () => {
        const started = await start()
        const id = randomUUID()
        const made = await webhooks.insertTest(started.webhook.id, { id, body: '{"a":1}' })
        expect(made).toMatchObject({ id, type: 'webhook.test', eventId: null, state: 'PENDING' })
        expect(await readDue(started)).toMatchObject([{ body: '{"a":1}', event: null, delivery: { id } }])
        await settle(started, await readDue(started))
        expect(await webhooks.insertTest(randomUUID(), { id: randomUUID(), body: '{}' })).toBe(null)
      })

      test('redelivered: whatever became of it, under the same id, holding up nobody', async () => {
        const started = await start()
        await finishOne(started.lane, 0)
        await webhooks.planDeliveries(started.node, PLAN)
        const [first] = await readDue(started)
        if (first === undefined) throw new Error('not due')
        const waiting = (await logOf(started))[1]
        expect(await webhooks.redeliver(started.webhook.id, waiting?.id ?? '')).toEqual({ type: 'waiting' })
        await settle(started, [first], { type: 'failed' })
        const { id } = first.delivery
        expect(await webhooks.redeliver(started.webhook.id, id)).toMatchObject({
          type: 'due',
          delivery: { id, state: 'PENDING', attempts: 0 },
        })
        expect(new Set((await readDue(started)).map(({ delivery }) => delivery.type))).toEqual(
          new Set(['accepted', 'to.ALLOCATED']),
        )
        await settle(
          started,
          (await readDue(started)).filter(({ delivery }) => delivery.id !== id),
        )
        expect((await readDue(started)).map(({ delivery }) => delivery.type).sort()).toEqual(['accepted', 'sent'])
        expect(await webhooks.redeliver(started.webhook.id, randomUUID())).toEqual({ type: 'missing' })
        expect(await webhooks.redeliver(randomUUID(), id)).toEqual({ type: 'missing' })
      })

      test('a new secret comes first; the old one stays valid for a while', async () => {
        const started = await start({ secret: 'whsec_b2xk' })
        await acceptOne(store, started.lane)
        await webhooks.planDeliveries(started.node, PLAN)
        const newSecret = { secret: 'whsec_bmV3', overlapMs: 5_000 }
        const changed = await webhooks.updateWebhook(started.webhook.id, { newSecret })
        expect(changed?.previousSecretUntil).toBeGreaterThan(started.webhook.createdAt)
        expect((await readDue(started))[0]?.secrets).toEqual(['whsec_bmV3', 'whsec_b2xk'])
        await subject.elapse(5_001)
        expect((await readDue(started))[0]?.secrets).toEqual(['whsec_bmV3'])
      })
    })

    describe('receivers that fail', () => {
      test('since when is remembered until something is delivered', async () => {
        const started = await start()
        const failingSince = async () => (await webhooks.findWebhook(started.webhook.id))?.failingSince
        await acceptOne(store, started.lane)
        await webhooks.planDeliveries(started.node, PLAN)
        await settle(started, await readDue(started), { type: 'retry', pauseMs: 0 })
        const since = await failingSince()
        expect(since).toEqual(expect.any(Number))
        await settle(started, await readDue(started), { type: 'retry', pauseMs: 0 })
        expect(await failingSince()).toBe(since)
        await settle(started, await readDue(started))
        expect(await failingSince()).toBe(null)
      })

      test('gone for good, or failing for long: disabled, once; what is pending stays and goes out when enabled', async () => {
        for (const reason of ['gone', 'failing'] as const) {
          const started = await start()
          await acceptOne(store, started.lane)
          await webhooks.planDeliveries(started.node, PLAN)
          const retry = { type: 'retry', pauseMs: 0 } as const
          expect(await settle(started, await readDue(started), retry)).toEqual([])
          await webhooks.keepWebhooks(started.node, 1, 30 * DAY_MS)
          if (reason === 'failing') await subject.elapse(5 * DAY_MS + 1)
          const due = await readDue(started)
          const disabled = await settle(started, due, retry, { isGone: reason === 'gone' })
          expect(disabled).toEqual([{ webhookId: started.webhook.id, reason }])
          expect((await webhooks.findWebhook(started.webhook.id))?.disabled?.reason).toBe(reason)
          expect(await readDue(started)).toEqual([])
          expect(await settle(started, await readDue(started), retry)).toEqual([])
          await webhooks.updateWebhook(started.webhook.id, { enabled: true })
          expect((await readDue(started)).map(({ delivery }) => delivery.id)).toEqual(
            due.map(({ delivery }) => delivery.id),
          )
          expect((await webhooks.findWebhook(started.webhook.id))?.failingSince).toBe(null)
        }
      })
    })

    test('the log is read newest first, page by page, and old settled ones are deleted', async () => {
      const started = await start()
      for (let index = 0; index < 5; index++) await acceptOne(store, started.lane)
      await webhooks.planDeliveries(started.node, PLAN)
      const { id } = started.webhook
      const page = await webhooks.listDeliveries(id, { state: null, before: null, limit: 2 })
      const before = page.at(-1)?.place ?? 0
      const next = await webhooks.listDeliveries(id, { state: null, before, limit: 9 })
      const all = [...(await logOf(started))].reverse()
      expect([...page, ...next]).toEqual(all)
      await settle(started, (await readDue(started)).slice(0, 2))
      await settle(started, (await readDue(started)).slice(0, 1), { type: 'failed' })
      expect((await webhooks.listDeliveries(id, { state: 'DELIVERED', before: null, limit: 9 })).length).toBe(2)
      expect(await webhooks.pruneDeliveries(DAY_MS, 100)).toBe(0)
      await subject.elapse(DAY_MS + 1)
      expect([await webhooks.pruneDeliveries(DAY_MS, 2), await webhooks.pruneDeliveries(DAY_MS, 100)]).toEqual([2, 1])
      expect((await logOf(started)).map(({ state }) => state)).toEqual(['PENDING', 'PENDING'])
    })
  })
}
