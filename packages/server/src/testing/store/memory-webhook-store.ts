/** Webhooks as a model in memory: same answers and refusals as PostgreSQL gives, each call one step. */

import { laneKey } from '../../core/lane/lane.ts'
import { matchesEvent } from '../../core/webhook/event-filter.ts'
import type { Delivery, Webhook, WebhookId } from '../../core/webhook/webhook.ts'
import type { Clock } from '../../ports/clock.ts'
import type { HistoryEntry } from '../../ports/history.ts'
import type { Store } from '../../ports/store.ts'
import type { AttemptResult, DueDelivery, WebhookChange, WebhookRoom, WebhookStore } from '../../ports/webhook-store.ts'

interface MemoryPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly events: Pick<Store, 'readEvents' | 'findLastEventId'>
  /** Ids of deliveries. */
  newId(): string
}

interface MemoryWebhook {
  webhook: Webhook
  secret: string
  previousSecret: string | null
  owner: string | null
  fence: number
  expiresAt: number
}

interface MemoryDelivery {
  delivery: Delivery
  order: string
  readonly body: string | null
  firstAttemptAt: number | null
}

const EVERYTHING = { signers: null, chains: null }

export function createMemoryWebhookStore({ clock, events, newId }: MemoryPorts): WebhookStore {
  const webhooks = new Map<WebhookId, MemoryWebhook>()
  let deliveries: MemoryDelivery[] = []
  /** Those of them that are not settled, in the same order: few beside the rest. */
  let pending: MemoryDelivery[] = []
  let place = 0

  const isHeld = ({ owner, expiresAt }: MemoryWebhook) => owner !== null && expiresAt > clock.now()
  const isActive = ({ webhook }: MemoryWebhook) => webhook.disabled === null
  const heldBy = (nodeId: string) => [...webhooks.values()].filter((row) => row.owner === nodeId && isHeld(row))
  const sorted = (rows: readonly MemoryWebhook[]) => [...rows].sort((a, b) => (a.webhook.id < b.webhook.id ? -1 : 1))
  const pendingOf = (id: WebhookId, order?: string) =>
    pending.filter((row) => row.delivery.webhookId === id && (order === undefined || row.order === order))
  const listPending = () => {
    pending = deliveries.filter(({ delivery }) => delivery.state === 'PENDING')
  }

  function append(
    webhookId: WebhookId,
    of: Pick<Delivery, 'id' | 'eventId' | 'txId' | 'type' | 'dueAt'>,
    order: string,
    body: string | null,
  ): Delivery {
    place += 1
    const delivery: Delivery = {
      ...of,
      webhookId,
      place,
      state: 'PENDING',
      attempts: 0,
      lastAttempt: null,
      settledAt: null,
      createdAt: clock.now(),
    }
    const row = { delivery, order, body, firstAttemptAt: null }
    deliveries.push(row)
    pending.push(row)
    return delivery
  }

  /** The first of an order is due; those behind it wait. */
  function freeFirst(id: WebhookId, order: string): void {
    const first = pendingOf(id, order)[0]
    if (first !== undefined && first.delivery.dueAt === null) first.delivery = { ...first.delivery, dueAt: clock.now() }
  }

  function plan(row: MemoryWebhook, page: readonly HistoryEntry[]): number {
    const wanted = page.filter((event) => matchesEvent(row.webhook.filter, EVERYTHING, event))
    for (const event of wanted) {
      const order = event.txId ?? laneKey(event.lane)
      const of = { id: newId(), eventId: event.eventId, txId: event.txId, type: event.type }
      const isFirst = pendingOf(row.webhook.id, order).length === 0
      append(row.webhook.id, { ...of, dueAt: isFirst ? clock.now() : null }, order, null)
    }
    row.webhook = { ...row.webhook, plannedTo: page.at(-1)?.eventId ?? row.webhook.plannedTo }
    return wanted.length
  }

  function settle(row: MemoryDelivery, { outcome, answer }: AttemptResult): void {
    const now = clock.now()
    row.firstAttemptAt ??= now - answer.durationMs
    const states = { delivered: 'DELIVERED', failed: 'FAILED', retry: 'PENDING' } as const
    row.delivery = {
      ...row.delivery,
      state: states[outcome.type],
      attempts: row.delivery.attempts + 1,
      dueAt: outcome.type === 'retry' ? now + outcome.pauseMs : null,
      settledAt: outcome.type === 'retry' ? null : now,
      lastAttempt: { at: now, ...answer },
    }
    if (outcome.type === 'retry') return
    pending.splice(pending.indexOf(row), 1)
    freeFirst(row.delivery.webhookId, row.order)
  }

  function judge(row: MemoryWebhook, results: readonly AttemptResult[], disableAfterMs: number) {
    const { failingSince, disabled } = row.webhook
    const isDelivered = results.some(({ outcome }) => outcome.type === 'delivered')
    const isFailing = !isDelivered && failingSince !== null && failingSince <= clock.now() - disableAfterMs
    const reason = results.some(({ isGone }) => isGone) ? 'gone' : isFailing ? 'failing' : null
    row.webhook = {
      ...row.webhook,
      failingSince: isDelivered ? null : (failingSince ?? clock.now()),
      disabled: disabled ?? (reason === null ? null : { reason, at: clock.now() }),
    }
    return disabled === null && reason !== null ? [{ webhookId: row.webhook.id, reason } as const] : []
  }

  function handOut(row: MemoryWebhook, { room, busy }: WebhookRoom) {
    const ready = pendingOf(row.webhook.id)
      .filter(({ delivery }) => delivery.dueAt !== null && !busy.includes(delivery.id))
      .sort((a, b) => (a.delivery.dueAt ?? 0) - (b.delivery.dueAt ?? 0) || a.delivery.place - b.delivery.place)
      .slice(0, room)
    return { ready, row }
  }

  const waitOf = ({ webhook }: MemoryWebhook, { delivery }: MemoryDelivery) =>
    clock.now() - Math.min(delivery.createdAt, webhook.failingSince ?? delivery.createdAt)

  async function present(row: MemoryWebhook, of: MemoryDelivery): Promise<DueDelivery> {
    const { eventId } = of.delivery
    const [event] = eventId === null ? [] : await events.readEvents(eventId - 1, 1)
    const hasPrevious = (row.webhook.previousSecretUntil ?? 0) > clock.now() && row.previousSecret !== null
    return {
      delivery: of.delivery,
      fence: row.fence,
      url: row.webhook.url,
      event: event ?? null,
      body: of.body,
      secrets: hasPrevious && row.previousSecret !== null ? [row.secret, row.previousSecret] : [row.secret],
      sinceFirstMs: of.firstAttemptAt === null ? null : clock.now() - of.firstAttemptAt,
      waitedMs: waitOf(row, of),
    }
  }

  return {
    async insertWebhook({ secret, after, ...webhook }, most) {
      const plannedTo = after ?? (await events.findLastEventId())
      if (webhooks.size >= most) return null
      const made: Webhook = {
        ...webhook,
        disabled: null,
        failingSince: null,
        plannedTo,
        previousSecretUntil: null,
        createdAt: clock.now(),
      }
      webhooks.set(webhook.id, { webhook: made, secret, previousSecret: null, ...FREE, fence: 0 })
      return made
    },
    listWebhooks: async () =>
      sorted([...webhooks.values()])
        .map(({ webhook }) => webhook)
        .sort((a, b) => b.createdAt - a.createdAt),
    findWebhook: async (id) => webhooks.get(id)?.webhook ?? null,
    async updateWebhook(id, change) {
      const row = webhooks.get(id)
      if (row === undefined) return null
      changeWebhook(row, change, clock.now())
      return row.webhook
    },
    async deleteWebhook(id) {
      const row = webhooks.get(id)
      webhooks.delete(id)
      deliveries = deliveries.filter(({ delivery }) => delivery.webhookId !== id)
      listPending()
      return row?.webhook ?? null
    },
    listDeliveries: async (id, { before, state, limit }) =>
      deliveries
        .map(({ delivery }) => delivery)
        .filter((delivery) => delivery.webhookId === id && (state === null || delivery.state === state))
        .filter((delivery) => before === null || delivery.place < before)
        .sort((a, b) => b.place - a.place)
        .slice(0, limit),
    async redeliver(id, deliveryId) {
      const row = deliveries.find(({ delivery }) => delivery.id === deliveryId && delivery.webhookId === id)
      if (row === undefined) return { type: 'missing' }
      if (row.delivery.state === 'PENDING' && row.delivery.dueAt === null) return { type: 'waiting' }
      if (row.delivery.state !== 'PENDING') row.order = deliveryId
      row.firstAttemptAt = null
      row.delivery = { ...row.delivery, state: 'PENDING', settledAt: null, dueAt: clock.now(), attempts: 0 }
      listPending()
      return { type: 'due', delivery: row.delivery }
    },
    async insertTest(id, test) {
      if (!webhooks.has(id)) return null
      const of = { id: test.id, eventId: null, txId: null, type: 'webhook.test', dueAt: clock.now() }
      return append(id, of, test.id, test.body)
    },
    async keepWebhooks(nodeId, nodes, ttlMs) {
      const active = sorted([...webhooks.values()].filter(isActive))
      const share = Math.ceil(active.length / Math.max(1, nodes))
      const mine = active.filter((row) => row.owner === nodeId && isHeld(row))
      const free = active.filter((row) => !isHeld(row)).slice(0, Math.max(0, share - mine.length))
      for (const row of free) {
        row.owner = nodeId
        row.fence += 1
        for (const { order } of pendingOf(row.webhook.id)) freeFirst(row.webhook.id, order)
      }
      return [...mine, ...free].map((row, index) => {
        row.expiresAt = clock.now() + ttlMs
        return { webhookId: row.webhook.id, fence: row.fence, isSurplus: index < mine.length && index >= share }
      })
    },
    async releaseWebhooks(nodeId, ids) {
      for (const row of webhooks.values())
        if (row.owner === nodeId && ids.includes(row.webhook.id)) Object.assign(row, FREE)
    },
    async planDeliveries(nodeId, limits) {
      let [planned, more, isHeldBack] = [0, false, false]
      for (const row of heldBy(nodeId).filter(isActive)) {
        const own = pendingOf(row.webhook.id)
        const due = own.filter(({ delivery: { dueAt } }) => dueAt !== null && dueAt <= clock.now())
        if (own.length >= limits.pending || due.length >= limits.due) {
          isHeldBack = true
          continue
        }
        const page = await events.readEvents(row.webhook.plannedTo, limits.events)
        planned += plan(row, page)
        more ||= page.length === limits.events
      }
      return { planned, more, isHeldBack }
    },
    async readDue(nodeId, rooms) {
      const handed = rooms.flatMap((room) => {
        const row = webhooks.get(room.webhookId)
        const isOurs = row !== undefined && row.owner === nodeId && row.fence === room.fence && isHeld(row)
        return isOurs && isActive(row) ? [handOut(row, room)] : []
      })
      const now = clock.now()
      const all = handed
        .flatMap(({ ready, row }) => ready.map((of) => ({ of, row, dueAt: of.delivery.dueAt ?? 0 })))
        .sort((a, b) => a.dueAt - b.dueAt || a.of.delivery.place - b.of.delivery.place)
      const due = await Promise.all(all.filter(({ dueAt }) => dueAt <= now).map(({ of, row }) => present(row, of)))
      const later = all.find(({ dueAt }) => dueAt > now)
      const longestWaitMs = Math.max(0, ...all.map(({ of, row }) => waitOf(row, of)))
      return { due, nextInMs: later === undefined ? null : later.dueAt - now, longestWaitMs }
    },
    async settleDeliveries(nodeId, results, disableAfterMs) {
      const held = heldBy(nodeId)
      const isOurs = ({ due }: AttemptResult, row: MemoryWebhook) =>
        due.delivery.webhookId === row.webhook.id && due.fence === row.fence
      return held.flatMap((row) => {
        const own = results.filter((result) => isOurs(result, row))
        for (const result of own) {
          const { id, attempts } = result.due.delivery
          const of = pending.find(({ delivery }) => delivery.id === id)
          if (of?.delivery.attempts === attempts) settle(of, result)
        }
        return own.length === 0 ? [] : judge(row, own, disableAfterMs)
      })
    },
    async pruneDeliveries(olderThanMs, limit) {
      const old = deliveries
        .filter(({ delivery }) => delivery.settledAt !== null && delivery.settledAt < clock.now() - olderThanMs)
        .slice(0, limit)
      deliveries = deliveries.filter((row) => !old.includes(row))
      return old.length
    },
    close: async () => {},
  }
}

const FREE = { owner: null, expiresAt: Number.NEGATIVE_INFINITY }

function changeWebhook(row: MemoryWebhook, change: WebhookChange, now: number): void {
  const { url, description, filter, enabled, newSecret } = change
  const { webhook } = row
  const disabled = enabled === false ? (webhook.disabled ?? ({ reason: 'operator', at: now } as const)) : null
  row.webhook = {
    ...webhook,
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description }),
    ...(filter !== undefined && { filter }),
    ...(enabled !== undefined && { disabled }),
    ...((enabled !== undefined || url !== undefined) && { failingSince: null }),
    ...(newSecret !== undefined && { previousSecretUntil: now + newSecret.overlapMs }),
  }
  if (newSecret === undefined) return
  row.previousSecret = row.secret
  row.secret = newSecret.secret
}
