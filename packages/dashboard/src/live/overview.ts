/** The state of the whole service, as the bar on top and the overview show it. */
import type { ApiClient } from '../api/api-client.ts'
import { ServiceAway } from '../api/api-failure.ts'
import type { ChainResource, LaneResource, NodeResource, Readiness } from '../api/api-resources.ts'

export interface Overview {
  readonly readiness: Readiness
  readonly chains: readonly ChainResource[]
  readonly lanes: readonly LaneResource[]
  readonly nodes: readonly NodeResource[]
}

type OverviewApi = Pick<ApiClient, 'readReadiness' | 'listChains' | 'listSigners' | 'listNodes'>

export async function loadOverview(api: OverviewApi): Promise<Overview> {
  const readiness = await api.readReadiness()
  const database = readiness.problems.find(({ part }) => part === 'database')
  // No other request can be answered then, and this message explains it best.
  if (database !== undefined)
    throw new ServiceAway(`The database ${database.message}. ${database.action} Runbook: ${database.runbook}.`)
  const [chains, lanes, nodes] = await Promise.all([api.listChains(), api.listSigners(), api.listNodes()])
  return { readiness, chains: chains.items, lanes: lanes.items, nodes: nodes.items }
}
