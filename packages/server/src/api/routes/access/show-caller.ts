/** `GET /v1/caller`: who the caller is, and what it may do. The page offers only that. */
import { callerResource } from '../../contract/resources/caller-resource.ts'
import { presentCaller } from '../../present/present-caller.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const showCaller = defineRoute(
  NO_INPUT,
  {
    operationId: 'showCaller',
    method: 'GET',
    path: '/v1/caller',
    summary: 'Show who you are: your API key, its scopes, and the signers and chains it is limited to',
    scope: 'read',
    answers: [{ status: 200, description: 'Your key and what it may do.', schema: callerResource }],
    errors: [],
  },
  (_, _services, caller) => ({ status: 200, body: presentCaller(caller) }),
)
