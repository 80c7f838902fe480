/** `drover webhook list`, `show`, `add`, `change` and `remove`: who receives events. */
import type { Command } from 'commander'
import { readChainId, readCount } from '../option-value.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import { presentWebhook, presentWebhooks } from './present-webhook.ts'

interface WebhookOptions {
  readonly description?: string
  readonly types?: string
  readonly chainId?: number
  readonly from?: string
  readonly completions?: boolean
}

function addFilters(command: Command): Command {
  return command
    .option('--description <text>', 'description, for people')
    .option('--types <types>', 'only events of these types, separated by commas')
    .option('--chain-id <id>', 'only events of this chain', readChainId)
    .option('--from <address>', 'only events of this signer')
    .option('--completions', 'only the event that ends each transaction')
}

function toFilters({ description, types, chainId, from, completions }: WebhookOptions) {
  return {
    ...(description !== undefined && { description }),
    ...(types !== undefined && { types: types.split(',').map((type) => type.trim()) }),
    ...(chainId !== undefined && { chainId }),
    ...(from !== undefined && { from }),
    ...(completions !== undefined && { completions }),
  }
}

const list: ServiceCommand = {
  name: 'list',
  description: 'list webhooks',
  examples: ['drover webhook list'],
  async run({ drover, signal, style, print }) {
    const { items } = await drover.request('GET /v1/webhooks', {}, { signal })
    print({ items }, () => (items.length === 0 ? 'No webhooks.' : presentWebhooks(items, style)))
    return undefined
  },
}

const show: ServiceCommand = {
  name: 'show <id>',
  description: 'show a webhook',
  examples: ['drover webhook show 7a1b…'],
  async run({ drover, signal, style, print }, { args }) {
    const webhook = await drover.request('GET /v1/webhooks/{id}', { params: { id: args[0] ?? '' } }, { signal })
    print(webhook, () => presentWebhook(webhook, style))
    return undefined
  },
}

const add: ServiceCommand = {
  name: 'add <target>',
  description: 'send events to a URL; prints the signing secret, once',
  examples: ['drover webhook add https://example.org/hooks --completions --json'],
  configure: (command) =>
    void addFilters(command).option(
      '--after <eventId>',
      'start after this event; 0 sends all past events (default: only new events)',
      readCount(0, Number.MAX_SAFE_INTEGER),
    ),
  async run({ drover, signal, style, print }, command) {
    const options = command.opts<WebhookOptions & { after?: number }>()
    const after = options.after === undefined ? {} : { after: options.after }
    const body = { url: command.args[0] ?? '', ...toFilters(options), ...after }
    const webhook = await drover.request('POST /v1/webhooks', { body }, { signal })
    print(webhook, () => presentWebhook(webhook, style))
    return undefined
  },
}

const change: ServiceCommand = {
  name: 'change <id>',
  description: 'change a webhook: its events or URL, on or off, a new secret',
  examples: ['drover webhook change 7a1b… --off', 'drover webhook change 7a1b… --rotate-secret --json'],
  configure: (command) =>
    void addFilters(command)
      .option('--target <url>', 'the new URL')
      .option('--on', 'enable it; it continues where it stopped')
      .option('--off', 'disable it')
      .option(
        '--rotate-secret',
        'create a new secret and print it once; for a day (webhookSecretOverlap) both secrets sign',
      ),
  async run({ drover, signal, style, print }, command) {
    const options = command.opts<
      WebhookOptions & { target?: string; on?: boolean; off?: boolean; rotateSecret?: boolean }
    >()
    const body = {
      ...toFilters(options),
      ...(options.target !== undefined && { url: options.target }),
      ...((options.on === true || options.off === true) && { enabled: options.off !== true }),
      ...(options.rotateSecret === true && { rotateSecret: true as const }),
    }
    const input = { params: { id: command.args[0] ?? '' }, body }
    const webhook = await drover.request('PATCH /v1/webhooks/{id}', input, { signal })
    print(webhook, () => presentWebhook(webhook, style))
    return undefined
  },
}

const remove: ServiceCommand = {
  name: 'remove <id>',
  description: 'delete a webhook and its delivery log',
  examples: ['drover webhook remove 7a1b…'],
  async run({ drover, signal, print }, { args }) {
    const id = args[0] ?? ''
    const answer = await drover.request('DELETE /v1/webhooks/{id}', { params: { id } }, { signal })
    print(answer, () => `removed ${id}`)
    return undefined
  },
}

export const webhookCommands: readonly ServiceCommand[] = [list, show, add, change, remove]
