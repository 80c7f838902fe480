/** Webhooks and their deliveries for people. */
import type { Answer } from '@drover/client'
import { presentFields } from '../output/present-fields.ts'
import { type Cell, presentTable } from '../output/present-table.ts'
import type { Style } from '../output/style.ts'

type Webhook = Answer<'GET /v1/webhooks/{id}'>
type Delivery = Answer<'GET /v1/webhooks/{id}/deliveries'>['items'][number]

export function presentWebhooks(items: readonly Webhook[], style: Style): string {
  return presentTable<Webhook>(
    [
      { heading: 'ID', isWhole: true, cell: ({ id }) => id },
      { heading: 'STATUS', cell: statusCell },
      { heading: 'URL', cell: ({ url }) => url },
      {
        heading: 'EVENTS',
        cell: ({ completions, types }) => (completions ? 'completions' : (types?.join(',') ?? 'all')),
      },
      { heading: 'DESCRIPTION', isSpare: true, cell: ({ description }) => description ?? '' },
    ],
    items,
    style,
  )
}

function statusCell({ enabled, disabled, failingSince }: Webhook): Cell {
  if (!enabled) return { text: `off (${disabled?.reason ?? 'operator'})`, colour: 'dim' }
  return failingSince === null ? { text: 'on', colour: 'green' } : { text: 'failing', colour: 'red' }
}

export function presentWebhook(webhook: Webhook & { readonly secret?: string }, style: Style): string {
  return presentFields(
    [
      ['id', webhook.id],
      ['status', statusCell(webhook).text],
      ['url', webhook.url],
      ['description', webhook.description],
      ['types', webhook.types?.join(', ') ?? 'all'],
      ['chain', webhook.chainId],
      ['signer', webhook.from],
      ['completions only', webhook.completions ? 'yes' : 'no'],
      ['failing since', webhook.failingSince],
      ['delivered up to event', webhook.plannedTo],
      ['old secret until', webhook.previousSecretUntil],
      ['created', `${webhook.createdAt} by ${webhook.createdBy}`],
      ['secret (shown once)', webhook.secret],
    ],
    style,
  )
}

export function presentDeliveries(items: readonly Delivery[], style: Style): string {
  return presentTable<Delivery>(
    [
      { heading: 'ID', isWhole: true, cell: ({ id }) => id },
      { heading: 'EVENT', align: 'right', cell: ({ eventId }) => (eventId === null ? 'test' : String(eventId)) },
      { heading: 'TYPE', cell: ({ type }) => type },
      { heading: 'STATE', cell: ({ state }) => state },
      { heading: 'TRIES', align: 'right', cell: ({ attempts }) => String(attempts) },
      { heading: 'LAST ANSWER', cell: ({ lastAttempt }) => lastAttempt?.error ?? String(lastAttempt?.status ?? '') },
    ],
    items,
    style,
  )
}
