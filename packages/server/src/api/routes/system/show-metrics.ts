/** `GET /metrics`: what this node counts and measures, for Prometheus. */
import { defineRoute, NO_INPUT } from '../../route.ts'

export const showMetrics = defineRoute(
  NO_INPUT,
  {
    operationId: 'showMetrics',
    method: 'GET',
    path: '/metrics',
    summary: 'Show the metrics of this node in Prometheus text format',
    scope: 'read',
    duringOutage: true,
    answers: [{ status: 200, description: 'All metrics.', contentType: 'text/plain' }],
    errors: [],
  },
  async (_, services) => {
    const { contentType, body } = await services.renderMetrics()
    return { status: 200, headers: { 'content-type': contentType }, body }
  },
)
