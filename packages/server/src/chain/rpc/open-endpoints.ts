/** All endpoints of a chain: those that are read, and those that are only sent to. A URL in both lists is one endpoint. */
import type { Endpoint } from './endpoint.ts'
import { nameRpcUrls, parseRpcUrls, type RpcUrl } from './rpc-url.ts'

export interface Endpoints {
  readonly readers: readonly Endpoint[]
  readonly sendOnly: readonly Endpoint[]
  /** The endpoint of a send URL. */
  ofUrl(url: string): Endpoint
}

type OpenEndpoint = (target: RpcUrl, own: { readonly name: string; readonly isSendOnly: boolean }) => Endpoint

export function openEndpoints(nodes: readonly RpcUrl[], sendUrls: readonly string[], open: OpenEndpoint): Endpoints {
  const isNode = ({ url }: RpcUrl) => nodes.some((node) => node.url.href === url.href)
  const senders = sendUrls.length === 0 ? [] : parseRpcUrls(sendUrls).filter((target) => !isNode(target))
  const extra = [...new Map(senders.map((target) => [target.url.href, target])).values()]
  const names = nameRpcUrls([...nodes, ...extra])
  const readers = nodes.map((target, index) => open(target, { name: names[index] ?? target.host, isSendOnly: false }))
  const sendOnly = extra.map((target, index) =>
    open(target, { name: names[nodes.length + index] ?? target.host, isSendOnly: true }),
  )
  const endpoints = [...readers, ...sendOnly]
  const hrefs = [...nodes, ...extra].map(({ url }) => url.href)
  return {
    readers,
    sendOnly,
    ofUrl(url) {
      const endpoint = endpoints[hrefs.indexOf(new URL(url).href)]
      if (endpoint === undefined) throw new Error('every send URL has its endpoint')
      return endpoint
    },
  }
}
