/** An endpoint for tests: healthy, free, and it answers whatever `send` says. */
import type { Endpoint } from '../../chain/rpc/endpoint.ts'

export function createFakeEndpoint(own: Pick<Endpoint, 'send'> & Partial<Endpoint>): Endpoint {
  const lacking = new Set<string>()
  const name = own.name ?? 'node.example'
  return {
    name,
    state: () => 'healthy',
    healthyMs: () => 0,
    waitMs: () => 0,
    isBarred: () => false,
    isBusy: () => false,
    lacks: (method) => lacking.has(method),
    noteLacking: (method) => void lacking.add(method),
    noteGarbage() {},
    noteWrongChain() {},
    noteHead() {},
    height: () => 0,
    callsPerSecond: () => null,
    fastestMs: () => null,
    report: (inUse) => ({
      name,
      inUse,
      state: 'healthy',
      since: 0,
      retryAt: null,
      head: null,
      lagBlocks: null,
      errorRate: null,
      latencyMs: null,
      callsPerSecond: null,
      lastError: null,
    }),
    close() {},
    ...own,
  }
}
