/**
 * Delivers events to webhooks: each at least once, those of one transaction in order, and never from two nodes at one
 * webhook.
 *
 * What is to be delivered and when stands in the database; this is the loop that works it off for the webhooks that the
 * node holds. One turn settles what has come back, makes deliveries of new events, and sends what is due as far as
 * there is room; each step is one statement for all webhooks. A turn is taken when something came back, when something
 * was appended to the stream, when something becomes due, and, behind all that, whenever leases are renewed. So the
 * cost is by batches of events, however many webhooks and attempts there are, and a node that dies leaves nothing but
 * leases that run out: the node that takes over finds the same rows, and sends unsettled deliveries again under the
 * same ids.
 */
import type { DeliveryId, WebhookId } from '../core/webhook/webhook.ts'
import type { RetryPolicy } from '../core/webhook/webhook-retry.ts'
import type { Clock, Random } from '../ports/clock.ts'
import type { HistoryEntry } from '../ports/history.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { AttemptResult, DueDelivery, WebhookRoom, WebhookStore } from '../ports/webhook-store.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import { createDeliveryPlaces } from './delivery-places.ts'
import type { Poster } from './post-delivery.ts'
import { createWebhookLeases } from './webhook-leases.ts'

export interface WebhookSettings {
  readonly retry: RetryPolicy
  /** After so long without one success a webhook is switched off. */
  readonly disableAfterMs: number
  /** How long settled deliveries are kept. */
  readonly retentionMs: number
  /** Deliveries of one webhook under way at one time. */
  readonly parallel: number
}

interface DelivererPorts {
  readonly webhooks: WebhookStore
  readonly store: Pick<Store, 'listen' | 'listNodes'>
  readonly clock: Clock
  readonly random: Pick<Random, 'fraction'>
  readonly telemetry: Telemetry
  readonly nodeId: string
  readonly poster: Poster
  readonly settings: WebhookSettings
  readonly lease: { readonly ttlMs: number; readonly renewIntervalMs: number }
  present(event: HistoryEntry): unknown
}

export interface WebhookDeliverer {
  start(): Promise<void>
  /** Lets what is under way come to its end, for a moment, and gives the webhooks to the other nodes. */
  stop(): Promise<void>
}

/** What comes within this time is worked off together. */
const LINGER_MS = 10
const TRY_AGAIN_MS = 1_000
const STOP_GRACE_MS = 2_000
/** A receiver may ask for weeks, which is more than a timer can hold. */
const MAX_WAIT_MS = 86_400_000
/** Deliveries that are read at once, if webhooks can take so many. */
const MAX_READ = 400
/** Places kept free for webhooks with nothing under way, one each. */
const MAX_KEPT_FREE = 100
/** What one webhook may have in the table ahead of its receiver: enough for a fast one, little for one that hangs. */
const PLAN_LIMITS = { events: 500, pending: 10_000, due: 200 }
const PRUNE_EVERY_MS = 10 * 60_000
const PRUNE_BATCH = 1_000

export function createWebhookDeliverer(ports: DelivererPorts): WebhookDeliverer {
  const { webhooks, store, clock, telemetry, nodeId, poster, settings } = ports
  const attempts = { ...ports, retry: settings.retry }
  const places = createDeliveryPlaces(settings.parallel)
  let results: AttemptResult[] = []
  let mayHaveEvents = false
  /** Some webhook has enough to send: it gets more as soon as any delivery is settled. */
  let isHeldBack = false
  let isTurning = false
  let turnAgain = false
  let isStopping = false
  let cancelTurn = (): void => {}
  let cancelDue = (): void => {}
  let cancelPrune = (): void => {}
  let unlisten = (): void => {}
  let onIdle = (): void => {}

  for (const reason of ['gone', 'failing']) telemetry.count('drover_webhooks_disabled_total', { reason }, 0)

  const leases = createWebhookLeases({
    store: webhooks,
    nodes: store,
    clock,
    telemetry,
    nodeId,
    ...ports.lease,
    isBusy: (id) => busyOf(id).length > 0,
    onKept() {
      for (const { webhookId, controller } of places.running()) if (!leases.holds(webhookId)) controller.abort()
      places.keepOnly(leases.holds)
      mayHaveEvents = true
      wake()
    },
  })

  /** Read ahead, under way, or back and not settled yet. */
  function busyOf(id: WebhookId): readonly DeliveryId[] {
    const back = results.filter(({ due }) => due.delivery.webhookId === id).map(({ due }) => due.delivery.id)
    return [...places.busyOf(id), ...back]
  }

  function wake(afterMs = LINGER_MS): void {
    if (isTurning) {
      turnAgain = true
      return
    }
    cancelTurn()
    cancelTurn = clock.schedule(afterMs, () => void turn())
  }

  async function turn(): Promise<void> {
    if (isTurning) return
    isTurning = true
    let pauseMs = LINGER_MS
    try {
      await settle()
      await plan()
      await sendDue()
    } catch (error) {
      telemetry.log('warn', 'could not process webhooks; retrying', { error: String(error) })
      turnAgain = true
      pauseMs = TRY_AGAIN_MS
      // The node that takes over sends unsettled deliveries again.
      if (isStopping) results = []
    }
    isTurning = false
    if (isIdle()) onIdle()
    if (!turnAgain) return
    turnAgain = false
    wake(pauseMs)
  }

  async function settle(): Promise<void> {
    if (results.length === 0) return
    // A copy: attempts that come back during the statement are not in it, and are settled with the next turn.
    const batch = [...results]
    const disabled = await webhooks.settleDeliveries(nodeId, batch, settings.disableAfterMs)
    // Only now: until then they count as under way, and after an error they are settled with the next turn.
    results = results.filter((result) => !batch.includes(result))
    mayHaveEvents ||= isHeldBack
    for (const { webhookId, reason } of disabled) {
      telemetry.count('drover_webhooks_disabled_total', { reason })
      telemetry.log('warn', 'a webhook was disabled', { webhookId, reason })
    }
  }

  async function plan(): Promise<void> {
    if (!mayHaveEvents || isStopping || leases.usable().length === 0) return
    mayHaveEvents = false
    const planned = await webhooks.planDeliveries(nodeId, PLAN_LIMITS)
    isHeldBack = planned.isHeldBack
    mayHaveEvents ||= planned.more
    turnAgain ||= planned.more
  }

  /**
   * What each could take, or an equal share where that would be too much to read at once: which of them have something to
   * send is known only when it was read.
   */
  function listRooms(): readonly WebhookRoom[] {
    const left = places.left()
    const open = leases
      .usable()
      .map(({ webhookId, fence }) => ({ webhookId, fence, busy: busyOf(webhookId) }))
      .filter(({ webhookId, busy }) => left > 0 && busy.length < places.mostOf(webhookId))
    const needOf = (room: (typeof open)[number]) => places.mostOf(room.webhookId) - room.busy.length
    const needed = open.reduce((sum, room) => sum + needOf(room), 0)
    const share = needed <= MAX_READ ? MAX_READ : Math.max(1, Math.floor(left / open.length))
    return open.map((room) => ({ ...room, room: Math.min(needOf(room), share) }))
  }

  async function sendDue(): Promise<void> {
    const rooms = isStopping ? [] : listRooms()
    if (rooms.length === 0) {
      reportLag(0)
      return
    }
    const { due, nextInMs, longestWaitMs } = await webhooks.readDue(nodeId, rooms)
    reportLag(longestWaitMs)
    const chosen = chooseFairly(due, rooms, places.left())
    places.add(chosen)
    sendReady()
    // A share that was used up may be larger next time, once it is known who does not need theirs.
    const isUsedUp = ({ webhookId, room, busy }: WebhookRoom) =>
      room + busy.length < places.mostOf(webhookId) && countOf(due, webhookId) === room
    turnAgain ||= chosen.length > 0 && places.left() > 0 && rooms.some(isUsedUp)
    cancelDue()
    if (nextInMs !== null) cancelDue = clock.schedule(Math.min(nextInMs, MAX_WAIT_MS), () => wake())
  }

  /** A receiver that is down is late between its attempts too. */
  function reportLag(readMs: number): void {
    telemetry.gauge('drover_webhook_lag_seconds', Math.max(readMs, places.longestWaitMs()) / 1_000)
  }

  function sendReady(): void {
    if (isStopping) return
    places.keepOnly(leases.holds)
    for (const { due, controller } of places.take()) send(due, controller)
  }

  function send(due: DueDelivery, { signal }: AbortController): void {
    void attemptDelivery(attempts, due, signal).then((result) => {
      places.settled(due, result.outcome.type === 'delivered')
      results.push(result)
      telemetry.count('drover_webhook_deliveries_total', { result: result.outcome.type })
      telemetry.observe('drover_webhook_attempt_seconds', result.answer.durationMs / 1_000)
      sendReady()
      wake()
    })
  }

  async function prune(): Promise<void> {
    try {
      while ((await webhooks.pruneDeliveries(settings.retentionMs, PRUNE_BATCH)) === PRUNE_BATCH && !isStopping);
    } catch (error) {
      telemetry.log('warn', 'could not delete old deliveries; retrying', { error: String(error) })
    }
    if (!isStopping) cancelPrune = clock.schedule(PRUNE_EVERY_MS, () => void prune())
  }

  function isIdle(): boolean {
    return [...places.running()].length === 0 && results.length === 0
  }

  function untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      onIdle = resolve
      wake(0)
    })
  }

  return {
    async start() {
      unlisten = store.listen(({ type }) => {
        if (type === 'webhooks.changed') void leases.keep()
        if (type !== 'events.appended' && type !== 'gap') return
        mayHaveEvents = true
        if (leases.usable().length > 0) wake()
      })
      cancelPrune = clock.schedule(PRUNE_EVERY_MS, () => void prune())
      await leases.keep()
    },
    async stop() {
      isStopping = true
      unlisten()
      cancelPrune()
      const cancelGrace = clock.schedule(STOP_GRACE_MS, () => {
        for (const { controller } of places.running()) controller.abort()
      })
      await untilIdle()
      cancelGrace()
      cancelTurn()
      cancelDue()
      await leases.stop()
      poster.close()
    },
  }
}

/**
 * Those with the least under way go first, and webhooks that have nothing to send now keep a free place: receivers that
 * hang, however many, must not take every place from the others.
 */
function chooseFairly(
  due: readonly DueDelivery[],
  rooms: readonly WebhookRoom[],
  left: number,
): readonly DueDelivery[] {
  const busy = new Map(rooms.map((room) => [room.webhookId, room.busy.length]))
  // The second of a webhook counts the first as under way: nobody gets two before everybody has one.
  const ranked = due.map((item) => {
    const rank = busy.get(item.delivery.webhookId) ?? 0
    busy.set(item.delivery.webhookId, rank + 1)
    return { item, rank }
  })
  const withDue = new Set(due.map(({ delivery }) => delivery.webhookId))
  const idle = rooms.filter((room) => room.busy.length === 0 && !withDue.has(room.webhookId)).length
  const most = left - Math.min(idle, MAX_KEPT_FREE)
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, Math.max(0, most))
    .map(({ item }) => item)
}

function countOf(due: readonly DueDelivery[], id: WebhookId): number {
  return due.filter(({ delivery }) => delivery.webhookId === id).length
}
