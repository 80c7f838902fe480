/** A load balancer as in production: it asks `/readyz` of each node, and sends every request to one that is ready. */
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface LoadBalancer {
  readonly url: string
  /** Requests that found no node ready. */
  readonly turnedAway: number
  add(nodeUrl: string): void
  remove(nodeUrl: string): void
  stop(): Promise<void>
}

const PROBE_PAUSE_MS = 100

export async function startLoadBalancer(): Promise<LoadBalancer> {
  const ready = new Map<string, boolean>()
  let turn = 0
  let turnedAway = 0
  let isStopped = false

  async function probe(url: string): Promise<void> {
    const answer = await fetch(`${url}/readyz`).catch(() => null)
    if (ready.has(url)) ready.set(url, answer?.status === 200)
  }

  const probing = (async () => {
    while (!isStopped) {
      await Promise.all([...ready.keys()].map(probe))
      await delay(PROBE_PAUSE_MS)
    }
  })()

  function serve(incoming: IncomingMessage, response: ServerResponse): void {
    const nodes = [...ready].flatMap(([url, isReady]) => (isReady ? [url] : []))
    const target = nodes[turn++ % Math.max(nodes.length, 1)]
    if (target === undefined) {
      turnedAway += 1
      response.writeHead(503).end()
      return
    }
    const { method = 'GET', headers, url = '/' } = incoming
    const outgoing = forward(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    // A node that just stopped, as the load balancer will notice at the next probe.
    outgoing.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }

  const server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get turnedAway() {
      return turnedAway
    },
    add: (url) => void ready.set(url, true),
    remove: (url) => void ready.delete(url),
    stop: async () => {
      isStopped = true
      await probing
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
