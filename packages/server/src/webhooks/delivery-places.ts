/**
 * Who may send now. A receiver that hangs must hold few places, and a fast one must not wait for the database between two
 * deliveries: it earns places with each success, and once it has all of them some deliveries are read ahead for it.
 */
import type { DeliveryId, WebhookId } from '../core/webhook/webhook.ts'
import type { DueDelivery } from '../ports/webhook-store.ts'

export interface DeliveryPlaces {
  /** How many more may be sent at the same time. */
  left(): number
  /** How many deliveries of one webhook may be in memory. */
  mostOf(id: WebhookId): number
  /** Read ahead or under way. */
  busyOf(id: WebhookId): readonly DeliveryId[]
  add(due: readonly DueDelivery[]): void
  /** Takes out what may be sent now, and counts it as under way. */
  take(): readonly Sending[]
  settled(due: DueDelivery, isDelivered: boolean): void
  running(): Iterable<{ readonly webhookId: WebhookId; readonly controller: AbortController }>
  /** Of what is read ahead or under way, when it was read. */
  longestWaitMs(): number
  /** Drops what is read ahead and what was earned by webhooks that this node may not serve. */
  keepOnly(holds: (id: WebhookId) => boolean): void
}

interface Sending {
  readonly due: DueDelivery
  readonly controller: AbortController
}

/** Of all webhooks together. */
const MAX_RUNNING = 200
/** Deliveries at a time to a receiver that is new or whose last answer was a failure. One more with each success. */
const FIRST_PARALLEL = 2
/** For a fast receiver so many times its places are read ahead. */
const READ_AHEAD = 4

export function createDeliveryPlaces(maxParallel: number): DeliveryPlaces {
  const running = new Map<DeliveryId, Sending & { readonly webhookId: WebhookId }>()
  const ready = new Map<WebhookId, readonly DueDelivery[]>()
  const earned = new Map<WebhookId, number>()

  function parallelOf(id: WebhookId): number {
    return Math.min(earned.get(id) ?? FIRST_PARALLEL, maxParallel)
  }

  function countRunning(id: WebhookId): number {
    let count = 0
    for (const { webhookId } of running.values()) if (webhookId === id) count += 1
    return count
  }

  function takeOf(id: WebhookId, waiting: readonly DueDelivery[]): readonly DueDelivery[] {
    const free = Math.max(0, Math.min(parallelOf(id) - countRunning(id), MAX_RUNNING - running.size))
    if (waiting.length > free) ready.set(id, waiting.slice(free))
    else ready.delete(id)
    return waiting.slice(0, free)
  }

  return {
    left: () => MAX_RUNNING - running.size,
    mostOf: (id) => {
      const parallel = parallelOf(id)
      return parallel < maxParallel ? parallel : parallel * (1 + READ_AHEAD)
    },
    busyOf: (id) => [
      ...(ready.get(id) ?? []).map(({ delivery }) => delivery.id),
      ...[...running].filter(([, { webhookId }]) => webhookId === id).map(([deliveryId]) => deliveryId),
    ],
    add: (due) => {
      for (const each of due) ready.set(each.delivery.webhookId, [...(ready.get(each.delivery.webhookId) ?? []), each])
    },
    take: () =>
      [...ready].flatMap(([id, waiting]) =>
        takeOf(id, waiting).map((due) => {
          const controller = new AbortController()
          running.set(due.delivery.id, { webhookId: id, due, controller })
          return { due, controller }
        }),
      ),
    settled: ({ delivery: { id, webhookId } }, isDelivered) => {
      running.delete(id)
      if (isDelivered) earned.set(webhookId, parallelOf(webhookId) + 1)
      else earned.delete(webhookId)
    },
    running: () => running.values(),
    longestWaitMs: () => {
      const held = [...[...running.values()].map(({ due }) => due), ...[...ready.values()].flat()]
      return held.reduce((longest, { waitedMs }) => Math.max(longest, waitedMs), 0)
    },
    keepOnly: (holds) => {
      for (const id of [...earned.keys(), ...ready.keys()]) {
        if (holds(id)) continue
        earned.delete(id)
        ready.delete(id)
      }
    },
  }
}
