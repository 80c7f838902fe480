/** `GET /healthz`: the process is alive. Depends on nothing else, so a lost database does not cause a restart. */
import { health } from '../../contract/resources/system-resource.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const showHealth = defineRoute(
  NO_INPUT,
  {
    operationId: 'showHealth',
    method: 'GET',
    path: '/healthz',
    summary: 'Check that the process is alive',
    scope: null,
    answers: [{ status: 200, description: 'Alive.', schema: health }],
    errors: [],
  },
  () => ({ status: 200, body: { status: 'alive' } }),
)
