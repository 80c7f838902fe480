/** Receives webhooks, verifies them and prints them. Ctrl-C deletes the webhook and ends the program. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createDrover, DroverError } from '@drover/client'
import { verifyWebhook } from '@drover/client/webhooks'

const drover = createDrover({
  url: process.env.DROVER_URL ?? 'http://127.0.0.1:4747',
  apiKey: process.env.DROVER_API_KEY,
})

const server = createServer(async (request, response) => {
  try {
    // The first message can arrive before the secret does.
    const { secret } = await webhook
    // Verify the raw body: parsing and serializing it again would change the signature.
    const message = await verifyWebhook(secret, request.headers, await text(request))
    console.log(`${message.id} ${message.type} ${message.data.transactionId ?? ''}`)
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof DroverError)) throw error
    response.writeHead(400).end(error.detail)
  }
})
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

const webhook = drover.webhooks.create({ url: `http://127.0.0.1:${port}/`, completions: true })
const { id } = await webhook
await drover.webhooks.test(id)

process.once('SIGINT', async () => {
  await drover.webhooks.delete(id)
  server.close()
  server.closeIdleConnections()
})
