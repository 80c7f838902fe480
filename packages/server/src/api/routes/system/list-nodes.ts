/** `GET /v1/nodes`: the processes that share the work. */

import { type NodeResource, nodeList } from '../../contract/resources/system-resource.ts'
import { presentInstant } from '../../contract/values/instant.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const listNodes = defineRoute(
  NO_INPUT,
  {
    operationId: 'listNodes',
    method: 'GET',
    path: '/v1/nodes',
    summary: 'List all live nodes',
    scope: 'read',
    answers: [{ status: 200, description: 'All nodes that send heartbeats.', schema: nodeList }],
    errors: [],
  },
  async (_, services) => {
    const [nodes, leases] = await Promise.all([services.listNodes(), services.store.listLeases()])
    const items = nodes.map(
      (node): NodeResource => ({
        id: node.nodeId,
        address: node.address,
        lanes: leases.filter((lease) => lease.nodeId === node.nodeId).length,
        chains: node.chains === null ? null : [...node.chains],
        self: node.nodeId === services.nodeId,
        startedAt: presentInstant(node.startedAt),
        heartbeatAt: presentInstant(node.heartbeatAt),
      }),
    )
    return { status: 200, body: { items } }
  },
)
