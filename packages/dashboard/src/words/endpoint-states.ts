/** What the state of an RPC endpoint is called on the page. */
import type { EndpointResource } from '../api/api-resources.ts'

const NAMES: Readonly<Record<EndpointResource['state'], string>> = {
  unverified: 'not checked yet',
  healthy: 'healthy',
  failing: 'failing',
  rate_limited: 'rate limited',
  lagging: 'lagging',
  implausible: 'implausible head',
  wrong_chain: 'wrong chain',
}

export function nameEndpointState(state: EndpointResource['state']): string {
  return NAMES[state]
}
