/** `drover webhook deliveries`, `redeliver` and `test`: what was delivered, and sending it again. */
import { readCount } from '../option-value.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import { presentDeliveries } from './present-webhook.ts'

const deliveries: ServiceCommand = {
  name: 'deliveries <id>',
  description: 'list deliveries, newest first',
  examples: ['drover webhook deliveries 7a1b… --limit 20'],
  configure: (command) =>
    void command
      .option('--limit <count>', 'maximum number', readCount(1, 200), 50)
      .option('--before <cursor>', 'continue from `next` of the last page', readCount(0, Number.MAX_SAFE_INTEGER)),
  async run({ drover, signal, style, print }, command) {
    const { limit, before } = command.opts<{ limit: number; before?: number }>()
    const query = { limit, ...(before !== undefined && { before }) }
    const input = { params: { id: command.args[0] ?? '' }, query }
    const page = await drover.request('GET /v1/webhooks/{id}/deliveries', input, { signal })
    print(page, () => (page.items.length === 0 ? 'No deliveries yet.' : presentDeliveries(page.items, style)))
    return undefined
  },
}

const redeliver: ServiceCommand = {
  name: 'redeliver <id> <deliveryId>',
  description: 'send a delivery again',
  examples: ['drover webhook redeliver 7a1b… 9c2d…'],
  async run({ drover, signal, style, print }, { args }) {
    const params = { id: args[0] ?? '', deliveryId: args[1] ?? '' }
    const path = 'POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver'
    const delivery = await drover.request(path, { params }, { signal })
    print(delivery, () => presentDeliveries([delivery], style))
    return undefined
  },
}

const tryOut: ServiceCommand = {
  name: 'test <id>',
  description: 'send a test event',
  examples: ['drover webhook test 7a1b…'],
  async run({ drover, signal, style, print }, { args }) {
    const input = { params: { id: args[0] ?? '' } }
    const delivery = await drover.request('POST /v1/webhooks/{id}/test', input, { signal })
    print(delivery, () => presentDeliveries([delivery], style))
    return undefined
  },
}

export const deliveryCommands: readonly ServiceCommand[] = [deliveries, redeliver, tryOut]
