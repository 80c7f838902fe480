/**
 * Which endpoints signed bytes may go to. A signer can have endpoints of its own, and so can all the others together; whoever
 * has none sends to every node that is read. Bytes never leave their route: if nothing on it responds, they wait.
 */
import type { SendOutcome } from '../../core/chain/send-outcome.ts'
import type { Address, Hex } from '../../core/hex.ts'
import type { RawBytes } from '../../ports/chain.ts'
import type { EndpointRole } from '../../ports/endpoint-report.ts'
import { readPending } from '../read-pending.ts'
import type { Endpoint } from '../rpc/endpoint.ts'
import type { Endpoints } from '../rpc/open-endpoints.ts'
import { createRpcPool, type RpcPool } from '../rpc/pool.ts'
import type { RpcReply, RpcRequest } from '../rpc/read-reply.ts'

export interface SendUrls {
  /** For signers without their own. Empty: the nodes that are read. */
  readonly all: readonly string[]
  readonly bySigner: ReadonlyMap<Address, readonly string[]>
  /** These send to the nodes that are read, whatever the others do. */
  readonly publicSigners?: ReadonlySet<Address>
}

export const NO_SEND_URLS: SendUrls = { all: [], bySigner: new Map() }

export interface SendRoutes {
  broadcast(raws: readonly RawBytes[]): Promise<readonly SendOutcome[]>
  /** Passes calls on to the nodes that are read, and signed bytes by the route of whoever signed them. */
  forward(requests: readonly RpcRequest[]): Promise<readonly RpcReply[]>
  /** Null: this signer sends to all nodes that are read. */
  find(signer: Address): RpcPool | null
  rolesOf(endpoint: Endpoint): readonly EndpointRole[]
  close(): void
}

const SEND = 'eth_sendRawTransaction'

export function createSendRoutes(urls: SendUrls, endpoints: Endpoints, readers: RpcPool): SendRoutes {
  const openRoute = (some: readonly string[]) => createRpcPool([...new Set(some.map(endpoints.ofUrl))])
  const shared = urls.all.length === 0 ? null : openRoute(urls.all)
  const bySigner = new Map([...urls.bySigner].map(([signer, own]) => [signer, openRoute(own)]))

  const find = (signer: Address): RpcPool | null =>
    bySigner.get(signer) ?? (urls.publicSigners?.has(signer) ? null : shared)
  const isByOne = bySigner.size + (urls.publicSigners?.size ?? 0) > 0

  /** The bytes themselves say who signed them. What cannot be read as a transaction is nobody's. */
  async function routeOf(raw: unknown, from?: Address): Promise<RpcPool> {
    if (!isByOne) return shared ?? readers
    const signer = from ?? (typeof raw === 'string' ? (await readPending(raw as Hex))?.from : undefined)
    return (signer === undefined ? shared : find(signer)) ?? readers
  }

  return {
    find,
    broadcast: async (raws) => {
      const routes = await Promise.all(raws.map(({ raw, from }) => routeOf(raw, from)))
      return await runEach(raws, routes, (route, own) => route.broadcast(own))
    },
    forward: async (requests) => {
      const routes = await Promise.all(
        requests.map(({ method, params }) => (method === SEND ? routeOf(params[0]) : readers)),
      )
      return await runEach(requests, routes, (route, own) => route.forward(own))
    },
    rolesOf(endpoint) {
      const roles: EndpointRole[] = readers.endpoints.includes(endpoint) ? ['read'] : []
      if ((shared ?? readers).endpoints.includes(endpoint)) roles.push('send')
      if ([...bySigner.values()].some((route) => route.endpoints.includes(endpoint))) roles.push('private')
      return roles
    },
    close() {
      shared?.close()
      for (const route of bySigner.values()) route.close()
    },
  }
}

/** Items of one route go together, in order; an answer for each item, in order. */
async function runEach<T, R>(
  items: readonly T[],
  routes: readonly RpcPool[],
  run: (route: RpcPool, own: readonly T[]) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  const answers: R[] = []
  const runs = [...new Set(routes)].map(async (route) => {
    const places = [...items.keys()].filter((index) => routes[index] === route)
    const own = await run(
      route,
      items.filter((_, index) => routes[index] === route),
    )
    for (const [at, answer] of own.entries()) answers[places[at] ?? at] = answer
  })
  await Promise.all(runs)
  return answers
}
