/**
 * Responds in place of a service that cannot start yet: alive, not ready (with what is missing), and "try again later"
 * to everything else. It closes when the service takes over at the same address.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError } from '../../core/app-error.ts'
import type { ReadinessProblem } from '../api-services.ts'
import { PROBLEM_TYPE } from '../contract/values/problem.ts'
import { presentProblem } from '../present/present-problem.ts'
import { describeListenError } from './listen.ts'

export interface WaitingRoom {
  /** Opens if it is not open yet; returns the URL. */
  open(): Promise<string>
  /** The port that it took, for its successor. Null if it never opened. */
  port(): number | null
  close(): Promise<void>
}

interface WaitingRoomOptions {
  readonly host: string
  readonly port: number
  problems(): readonly ReadinessProblem[]
}

const RETRY_AFTER_S = 5

export function createWaitingRoom({ host, port, problems }: WaitingRoomOptions): WaitingRoom {
  let taken: number | null = null
  let opening: Promise<string> | null = null
  const server = createServer((request, response) => {
    // No client should keep a connection to a server that is about to stop.
    response.setHeader('connection', 'close')
    response.setHeader('cache-control', 'no-store')
    const path = request.url?.split('?', 1)[0]
    if (path === '/healthz') send(response, 200, 'application/json', { status: 'alive' })
    else if (path === '/readyz') send(response, 503, 'application/json', presentReadiness(problems()))
    else sendProblem(response, problems())
    request.resume()
  })

  function listenOnce(): Promise<string> {
    return new Promise((resolve, reject) => {
      server.once('error', (error) => reject(describeListenError(error, { host, port })))
      server.listen({ host, port }, () => {
        const { port: own, family } = server.address() as AddressInfo
        taken = own
        resolve(`http://${family === 'IPv6' ? `[${host}]` : host}:${own}`)
      })
    })
  }

  return {
    open: () => {
      opening ??= listenOnce()
      return opening
    },
    port: () => taken,
    close: async () => {
      if (taken === null) return
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

function presentReadiness(problems: readonly ReadinessProblem[]) {
  const said = problems.map(({ isMinor, ...problem }) => problem)
  return { ready: false, status: 'unavailable', problems: said }
}

function sendProblem(response: ServerResponse, problems: readonly ReadinessProblem[]): void {
  const missing = problems.map(({ part, message, action }) => `${part}: ${message}. ${action}`).join(' ')
  const code = problems.some(({ part }) => part === 'database') ? 'database_unavailable' : 'chain_unavailable'
  const error = new AppError(code, `Drover is still starting. ${missing}`, {
    retryAfterMs: RETRY_AFTER_S * 1_000,
  })
  response.setHeader('retry-after', String(RETRY_AFTER_S))
  send(response, 503, PROBLEM_TYPE, presentProblem(error))
}

function send(response: ServerResponse, status: number, type: string, body: unknown): void {
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
}
