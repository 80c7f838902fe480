/** A small JSON server that the migration examples share. Each route is a function. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { createDrover, DroverError } from '@drover/client'

export const drover = createDrover({
  url: process.env.DROVER_URL ?? 'http://127.0.0.1:4747',
  apiKey: process.env.DROVER_API_KEY,
})

export interface Call {
  /** The group `id` of the pattern of the route. */
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export interface Answer {
  readonly status: number
  readonly body: object
}

/** A pattern is matched against the method and the path, like `^GET /items/(?<id>\w+)$`. */
export type Route = readonly [pattern: RegExp, answer: (call: Call) => Promise<Answer>]

/** `describeError` puts a refusal of Drover into the words that the old API has for one. */
export async function serveJson(
  routes: readonly Route[],
  describeError: (error: DroverError) => object,
): Promise<void> {
  const server = createServer(async (request, response) => {
    const asked = `${request.method} ${request.url?.split('?')[0]}`
    const [pattern, answer] = routes.find(([each]) => each.test(asked)) ?? []
    const reply = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (pattern === undefined || answer === undefined) return reply(404, { message: `There is no ${asked}.` })
    try {
      const body = request.method === 'POST' ? await json(request) : {}
      const { status, body: answered } = await answer({
        id: pattern.exec(asked)?.groups?.id ?? '',
        headers: request.headers,
        body,
      })
      return reply(status, answered)
    } catch (error) {
      if (error instanceof DroverError) return reply(error.status ?? 503, describeError(error))
      return reply(400, { message: 'The request is not what this program expects.' })
    }
  })
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1')
  await once(server, 'listening')
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}
