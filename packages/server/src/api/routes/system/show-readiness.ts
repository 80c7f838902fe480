/** `GET /readyz`: whether this node should get work, and if not, everything that is wrong. */
import { readinessResource } from '../../contract/resources/system-resource.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const showReadiness = defineRoute(
  NO_INPUT,
  {
    operationId: 'showReadiness',
    method: 'GET',
    path: '/readyz',
    summary: 'Check whether this node is ready',
    scope: null,
    answers: [
      {
        status: 200,
        description:
          'Ready: the database responds and has the right schema, and the chains are followed. `degraded` if a chain makes no blocks or went back, a node does not report, or a signer is blocked.',
        schema: readinessResource,
      },
      { status: 503, description: 'Not ready. `problems` says why.', schema: readinessResource },
    ],
    errors: [],
  },
  async (_, services) => {
    const problems = await services.readiness()
    const ready = problems.every(({ isMinor }) => isMinor)
    const status = !ready ? 'unavailable' : problems.length === 0 ? 'ready' : 'degraded'
    const said = problems.map(({ isMinor, ...problem }) => problem)
    return { status: ready ? 200 : 503, body: { ready, status, problems: said } }
  },
)
