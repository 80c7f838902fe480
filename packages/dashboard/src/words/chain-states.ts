/** What the state of a chain is called on the page. */
import type { ChainResource } from '../api/api-resources.ts'

const NAMES: Readonly<Record<ChainResource['health']['state'], string>> = {
  starting: 'starting',
  ok: 'healthy',
  standing: 'stalled',
  rewound: 'rewound',
  unreachable: 'unreachable',
}

export function nameChainState(state: ChainResource['health']['state']): string {
  return NAMES[state]
}
