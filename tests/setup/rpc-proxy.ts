/**
 * A real HTTP JSON-RPC proxy with programmable faults, to be put between Drover and a node.
 *
 * A hook sees each call, also each within a batch, and says how to react; without one a call passes. Those calls of a
 * batch that are to be forwarded go upstream as one batch. Some reactions replace the whole HTTP reply (`drop`, `http`,
 * `garbage`): they take effect after the forwarded calls have reached the node, so "sent, but the answer was lost" is
 * what `drop({ forward: true })` does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { change, pass, type Reaction, type RpcCall } from './rpc-reactions.ts'

export type Hook = (call: RpcCall) => Reaction | undefined | Promise<Reaction | undefined>

/** What to answer to all calls of one HTTP request, none of which is forwarded. */
export type RequestHook = (calls: readonly RpcCall[]) => Reaction | undefined

/** A held call. `arrived` resolves with it, and it continues after `release`. */
export interface HeldCall {
  readonly arrived: Promise<RpcCall>
  release(reaction?: Reaction): void
}

export interface RpcProxy {
  readonly url: string
  /** Every call, in the order of arrival, forwarded or not. */
  readonly calls: readonly RpcCall[]
  /** The calls of each HTTP request, in the order of arrival: more than one where the client uses batches. */
  readonly requests: readonly (readonly RpcCall[])[]
  /** HTTP requests so far: fewer than calls where the client uses batches. */
  readonly requestCount: number
  count(method: string): number
  /** Resolves when the method has been called this many times in total. */
  awaitCalls(method: string, count: number): Promise<void>
  /**
   * Reacts to every call of a method ('*': any). The newest hook that returns a reaction wins. Returns a function that
   * removes it.
   */
  on(method: string, reaction: Reaction | Hook): () => void
  /** Reacts only to this many next calls of a method. */
  next(method: string, reaction: Reaction | Hook, times?: number): () => void
  /** Reacts to a whole HTTP request, before any call of it reaches the node. The newest that returns a reaction wins. */
  onRequest(react: RequestHook): () => void
  /** Holds the next call of a method: before the node sees it, or its answer after the node has. */
  hold(method: string, when: 'before' | 'after'): HeldCall
  /** Breaks every connection, as if the port were closed, until told otherwise. */
  setDown(isDown: boolean): void
  setUpstream(url: string): void
  /** Removes all hooks, forgets the calls. */
  reset(): void
  stop(): Promise<void>
}

interface InstalledHook {
  readonly method: string
  readonly react: Hook
  timesLeft: number
}

interface Planned {
  readonly call: RpcCall
  readonly reaction: Reaction
}

interface RpcAnswer {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

export async function startRpcProxy(upstreamUrl: string): Promise<RpcProxy> {
  const calls: RpcCall[] = []
  const requests: (readonly RpcCall[])[] = []
  const hooks: InstalledHook[] = []
  const requestHooks: RequestHook[] = []
  const waiting = new Set<() => void>()
  const holds = new Set<() => void>()
  let upstream = upstreamUrl
  let requestCount = 0
  let isDown = false

  const note = (call: RpcCall): RpcCall => {
    calls.push(call)
    for (const check of waiting) check()
    return call
  }

  const findRefusal = (received: readonly RpcCall[]): Reaction | undefined => {
    for (const react of [...requestHooks].reverse()) {
      const reaction = react(received)
      if (reaction !== undefined) return reaction
    }
    return undefined
  }

  const plan = async (call: RpcCall): Promise<Planned> => {
    note(call)
    for (const hook of [...hooks].reverse()) {
      if (hook.timesLeft <= 0 || (hook.method !== '*' && hook.method !== call.method)) continue
      hook.timesLeft -= 1
      const reaction = await hook.react(call)
      if (reaction !== undefined) return { call, reaction }
    }
    return { call, reaction: pass }
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requestCount += 1
    const body: unknown = JSON.parse(await readBody(request))
    const isBatch = Array.isArray(body)
    const received = (isBatch ? body : [body]).map(parseCall)
    requests.push(received)
    const refusal = findRefusal(received)
    const planned =
      refusal === undefined
        ? await Promise.all(received.map(plan))
        : received.map((call) => ({ call: note(call), reaction: refusal }))
    const forwarded = planned.filter(({ reaction }) => isForwarded(reaction)).map(({ call }) => call)
    const answers = await forward(upstream, forwarded, isBatch)
    const whole = planned.map(({ reaction }) => reaction).find(isWholeReply)
    if (whole?.type === 'drop') {
      request.socket.destroy()
    } else if (whole?.type === 'http') {
      response.writeHead(whole.status, whole.headers).end(whole.body)
    } else {
      const replies = (await Promise.all(planned.map((item) => compose(item, answers)))).filter(
        (reply) => reply !== null,
      )
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isBatch ? replies : replies[0]))
    }
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(502)
      response.end(String(error))
    })
  })
  server.on('connection', (socket) => {
    if (isDown) socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const install = (method: string, reaction: Reaction | Hook, times: number): (() => void) => {
    const react = typeof reaction === 'function' ? reaction : () => reaction
    const hook = { method, react, timesLeft: times }
    hooks.push(hook)
    return () => {
      hook.timesLeft = 0
    }
  }
  const count = (method: string): number => calls.filter((call) => call.method === method).length

  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    requests,
    get requestCount() {
      return requestCount
    },
    count,
    awaitCalls: (method, wanted) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (count(method) < wanted) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    on: (method, reaction) => install(method, reaction, Number.POSITIVE_INFINITY),
    next: (method, reaction, times = 1) => install(method, reaction, times),
    onRequest: (react) => {
      requestHooks.push(react)
      return () => void requestHooks.splice(requestHooks.indexOf(react) >>> 0, 1)
    },
    hold: (method, when) => {
      const arrived = createSignal<RpcCall>()
      const released = createSignal<Reaction>()
      const release = (reaction: Reaction = pass): void => released.resolve(reaction)
      holds.add(release)
      install(
        method,
        (call) => {
          if (when === 'before') {
            arrived.resolve(call)
            return released.promise
          }
          return change(async (result) => {
            arrived.resolve(call)
            const reaction = await released.promise
            return reaction.type === 'answer' ? reaction.result : result
          })
        },
        1,
      )
      return { arrived: arrived.promise, release }
    },
    setDown: (down) => {
      isDown = down
      if (down) server.closeAllConnections()
    },
    setUpstream: (url) => {
      upstream = url
    },
    reset: () => {
      hooks.length = 0
      requestHooks.length = 0
      calls.length = 0
      requests.length = 0
      requestCount = 0
    },
    stop: async () => {
      for (const release of holds) release()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

function createSignal<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve: (value) => resolve(value) }
}

function parseCall(value: unknown): RpcCall {
  const { method, params, id } = value as { method: string; params?: readonly unknown[]; id?: unknown }
  return { method, params: params ?? [], id }
}

function isForwarded(reaction: Reaction): boolean {
  if (reaction.type === 'answer' || reaction.type === 'error') return false
  return 'forward' in reaction ? reaction.forward : true
}

function isWholeReply(reaction: Reaction): boolean {
  return reaction.type === 'drop' || reaction.type === 'http'
}

async function forward(
  upstream: string,
  calls: readonly RpcCall[],
  isBatch: boolean,
): Promise<ReadonlyMap<unknown, RpcAnswer>> {
  if (calls.length === 0) return new Map()
  const requests = calls.map((call) => ({ jsonrpc: '2.0', ...call }))
  const response = await fetch(upstream, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(isBatch ? requests : requests[0]),
  })
  const reply: unknown = await response.json()
  const answers = (Array.isArray(reply) ? reply : [reply]) as readonly RpcAnswer[]
  return new Map(answers.map((item) => [item.id, item]))
}

/** The reply to this call; null: none. */
async function compose({ call, reaction }: Planned, answers: ReadonlyMap<unknown, RpcAnswer>): Promise<object | null> {
  const head = { jsonrpc: '2.0', id: call.id }
  const fromNode = answers.get(call.id)
  switch (reaction.type) {
    case 'answer':
      return { ...head, result: reaction.result }
    case 'error': {
      const { code, message, data } = reaction
      return { ...head, error: { code, message, ...(data === undefined ? {} : { data }) } }
    }
    case 'change':
      if (fromNode === undefined || fromNode.error !== undefined) return fromNode ?? null
      return { ...head, result: await reaction.change(fromNode.result, call) }
    case 'pass':
      return fromNode ?? null
    default:
      return null
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
