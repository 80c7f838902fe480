/** Which webhooks this node delivers: renewed in one statement, given up when they are not renewed in time. */

import { coalesce } from '../core/coalesced-task.ts'
import type { WebhookId } from '../core/webhook/webhook.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { WebhookLease, WebhookStore } from '../ports/webhook-store.ts'

export interface WebhookLeases {
  /** Takes and renews now; also happens by itself. */
  keep(): Promise<void>
  /** Those that may be worked on at this moment. */
  usable(): readonly WebhookLease[]
  holds(id: WebhookId): boolean
  stop(): Promise<void>
}

interface LeasePorts {
  readonly store: Pick<WebhookStore, 'keepWebhooks' | 'releaseWebhooks'>
  readonly nodes: Pick<Store, 'listNodes'>
  readonly clock: Pick<Clock, 'monotonic' | 'schedule'>
  readonly telemetry: Telemetry
  readonly nodeId: string
  readonly ttlMs: number
  readonly renewIntervalMs: number
  /** Something of it is under way. */
  isBusy(id: WebhookId): boolean
  onKept(): void
}

/** Part of the lease's time that is not used, for clocks that do not run alike. */
const MARGIN = 0.1

export function createWebhookLeases(ports: LeasePorts): WebhookLeases {
  const { store, nodes, clock, telemetry, nodeId, ttlMs, renewIntervalMs } = ports
  let held: readonly WebhookLease[] = []
  let goodUntil = Number.NEGATIVE_INFINITY
  let isStopped = false
  let cancelRenewal = (): void => {}

  async function renew(): Promise<void> {
    const askedAt = clock.monotonic()
    const live = await nodes.listNodes()
    held = await store.keepWebhooks(nodeId, live.length, ttlMs)
    goodUntil = askedAt + ttlMs * (1 - MARGIN)
    const idle = held.filter(({ isSurplus, webhookId }) => isSurplus && !ports.isBusy(webhookId))
    if (idle.length > 0) {
      const ids = idle.map(({ webhookId }) => webhookId)
      held = held.filter(({ webhookId }) => !ids.includes(webhookId))
      await store.releaseWebhooks(nodeId, ids)
    }
    telemetry.gauge('drover_webhooks_owned', held.length)
  }

  const keeping = coalesce(async () => {
    if (isStopped) return
    cancelRenewal()
    try {
      await renew()
    } catch (error) {
      telemetry.log('warn', 'could not renew webhook leases; retrying', { error: String(error) })
    }
    if (!isStopped) cancelRenewal = clock.schedule(renewIntervalMs, () => void keeping.run())
    ports.onKept()
  })

  async function release(): Promise<void> {
    const ids = held.map(({ webhookId }) => webhookId)
    held = []
    try {
      await store.releaseWebhooks(nodeId, ids)
    } catch (error) {
      telemetry.log('warn', 'could not release webhook leases; they expire by themselves', { error: String(error) })
    }
  }

  const isGood = (): boolean => clock.monotonic() < goodUntil

  return {
    keep: keeping.run,
    usable: () => (isGood() && !isStopped ? held.filter(({ isSurplus }) => !isSurplus) : []),
    holds: (id) => isGood() && held.some(({ webhookId }) => webhookId === id),
    async stop() {
      isStopped = true
      cancelRenewal()
      await keeping.settled()
      await release()
    },
  }
}
