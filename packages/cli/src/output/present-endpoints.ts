/** The RPC endpoints of the chains, as a table. */
import type { Chain } from '@drover/client'
import { spellDuration } from '@drover/server/core'
import { presentTable } from './present-table.ts'
import type { Style } from './style.ts'

type Endpoint = Chain['endpoints'][number]

export function presentEndpoints(chains: readonly Chain[], style: Style): string {
  const rows = chains.flatMap(({ chainId, endpoints }) => endpoints.map((endpoint) => ({ chainId, ...endpoint })))
  return presentTable<(typeof rows)[number]>(
    [
      { heading: 'CHAIN', align: 'right', cell: ({ chainId }) => String(chainId) },
      { heading: 'ENDPOINT', isWhole: true, cell: ({ name, inUse }) => (inUse ? `${name} (in use)` : name) },
      { heading: 'STATE', cell: ({ state }) => ({ text: state, colour: state === 'healthy' ? 'green' : 'red' }) },
      { heading: 'ROLES', isSpare: true, cell: ({ roles }) => roles.join(', ') },
      {
        heading: 'FOR',
        align: 'right',
        isSpare: true,
        cell: ({ since }) => spellDuration(Date.now() - Date.parse(since)),
      },
      { heading: 'HEAD', align: 'right', cell: ({ head }) => String(head?.number ?? '-') },
      { heading: 'LAG', align: 'right', cell: ({ lagBlocks }) => String(lagBlocks ?? '-') },
      { heading: 'ERRORS', align: 'right', cell: ({ errorRate }) => spellShare(errorRate) },
      {
        heading: 'LATENCY',
        align: 'right',
        isSpare: true,
        cell: ({ latencyMs }) => (latencyMs === null ? '-' : `${latencyMs} ms`),
      },
      { heading: 'LIMIT', align: 'right', isSpare: true, cell: ({ callsPerSecond }) => spellLimit(callsPerSecond) },
      { heading: 'LAST ERROR', cell: ({ lastError }) => lastError?.message ?? '' },
    ],
    rows,
    style,
  )
}

function spellShare(share: Endpoint['errorRate']): string {
  return share === null ? '-' : `${Math.round(share * 100)} %`
}

function spellLimit(callsPerSecond: Endpoint['callsPerSecond']): string {
  return callsPerSecond === null ? '-' : `${callsPerSecond}/s`
}
