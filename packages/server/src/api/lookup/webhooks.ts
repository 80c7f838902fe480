/** Creates and changes webhooks, and triggers deliveries by hand. */
import { randomBytes } from 'node:crypto'
import { actorOf, type Caller } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import type { EventFilter } from '../../core/webhook/event-filter.ts'
import type { Delivery, DeliveryId, Webhook, WebhookId } from '../../core/webhook/webhook.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { DeliveryPage, WebhookStore } from '../../ports/webhook-store.ts'
import type { WebhookChangeRequest, WebhookRequest } from '../contract/requests/webhook-request.ts'

export interface Webhooks {
  /** The secret is returned here and nowhere else. */
  create(caller: Caller, wanted: WebhookRequest): Promise<{ readonly webhook: Webhook; readonly secret: string }>
  list(): Promise<readonly Webhook[]>
  get(id: WebhookId): Promise<Webhook>
  /** Contains a secret only if a new one was requested. */
  update(
    id: WebhookId,
    change: WebhookChangeRequest,
  ): Promise<{ readonly webhook: Webhook; readonly secret: string | null }>
  remove(id: WebhookId): Promise<Webhook>
  listDeliveries(id: WebhookId, page: DeliveryPage): Promise<readonly Delivery[]>
  redeliver(id: WebhookId, deliveryId: DeliveryId): Promise<Delivery>
  test(id: WebhookId): Promise<Delivery>
}

interface WebhooksPorts {
  readonly store: WebhookStore
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'id'>
  readonly maxWebhooks: number
  readonly secretOverlapMs: number
  /** What is wrong with its URL; null: nothing. */
  findTargetProblem(url: URL): Promise<string | null>
}

const SECRET_BYTES = 32

export function createWebhooks(ports: WebhooksPorts): Webhooks {
  const { store, clock, random, maxWebhooks, secretOverlapMs } = ports

  async function get(id: WebhookId): Promise<Webhook> {
    return found(await store.findWebhook(id), id)
  }

  async function checkTarget(url: URL): Promise<void> {
    const problem = await ports.findTargetProblem(url)
    if (problem !== null) throw new AppError('invalid_request', `url ${problem}.`, { field: 'url' })
  }

  return {
    get,
    list: () => store.listWebhooks(),
    async create(caller, { url, description, after, types, chainId, from, completions }) {
      await checkTarget(url)
      const secret = createSecret()
      const webhook = await store.insertWebhook(
        {
          id: random.id(clock.now()),
          url: url.href,
          description,
          secret,
          after,
          filter: { types, chainId, signer: from, completions },
          createdBy: actorOf(caller),
        },
        maxWebhooks,
      )
      if (webhook === null) {
        const message = `You have reached the limit of ${maxWebhooks} webhooks. Delete one first, or raise maxWebhooks.`
        throw new AppError('webhook_limit', message)
      }
      return { webhook, secret }
    },
    async update(id, { url, enabled, rotateSecret, description, ...filter }) {
      const before = await get(id)
      if (url !== undefined) await checkTarget(url)
      const secret = rotateSecret === true ? createSecret() : null
      const webhook = await store.updateWebhook(id, {
        ...(url !== undefined && { url: url.href }),
        ...(description !== undefined && { description }),
        ...(enabled !== undefined && { enabled }),
        ...(secret !== null && { newSecret: { secret, overlapMs: secretOverlapMs } }),
        ...(changesFilter(filter) && { filter: changeFilter(before.filter, filter) }),
      })
      return { webhook: found(webhook, id), secret }
    },
    remove: async (id) => found(await store.deleteWebhook(id), id),
    async listDeliveries(id, page) {
      await get(id)
      return store.listDeliveries(id, page)
    },
    async redeliver(id, deliveryId) {
      const outcome = await store.redeliver(id, deliveryId)
      if (outcome.type === 'due') return outcome.delivery
      if (outcome.type === 'missing')
        throw new AppError('not_found', `Webhook ${id} has no delivery ${deliveryId}.`, { field: 'deliveryId' })
      const message = 'It has not been sent yet. An earlier delivery of the same transaction goes first.'
      throw new AppError('action_forbidden', message, { action: 'redeliver' })
    },
    async test(id) {
      if ((await get(id)).disabled !== null) {
        const message = 'The webhook is disabled. Enable it first.'
        throw new AppError('action_forbidden', message, { action: 'test' })
      }
      const deliveryId = random.id(clock.now())
      const timestamp = new Date(clock.now()).toISOString()
      const data = { webhookId: id, message: 'This is a test.' }
      const body = JSON.stringify({ type: 'webhook.test', timestamp, data })
      return found(await store.insertTest(id, { id: deliveryId, body }), id)
    },
  }
}

type FilterChange = Pick<WebhookChangeRequest, 'types' | 'chainId' | 'from' | 'completions'>

function changesFilter(change: FilterChange): boolean {
  return Object.values(change).some((value) => value !== undefined)
}

/** Null removes a limit. Omitted fields stay as they are. */
function changeFilter(filter: EventFilter, { types, chainId, from, completions }: FilterChange): EventFilter {
  return {
    types: types === undefined ? filter.types : types,
    chainId: chainId === undefined ? filter.chainId : chainId,
    signer: from === undefined ? filter.signer : from,
    completions: completions ?? filter.completions,
  }
}

function createSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

function found<T>(value: T | null, id: WebhookId): T {
  if (value !== null) return value
  throw new AppError('not_found', `There is no webhook ${id}.`, { field: 'id' })
}
