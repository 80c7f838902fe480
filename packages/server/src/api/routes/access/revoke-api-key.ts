/** `DELETE /v1/api-keys/{id}`: revokes a key. */
import { z } from 'zod'
import { apiKeyResource } from '../../contract/resources/api-key-resource.ts'
import { keyIdParam } from '../../contract/values/key-id.ts'
import { presentApiKey } from '../../present/present-api-key.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const revokeApiKey = defineRoute(
  { ...NO_INPUT, params: z.strictObject({ id: keyIdParam }) },
  {
    operationId: 'revokeApiKey',
    method: 'DELETE',
    path: '/v1/api-keys/{id}',
    summary: 'Revoke an API key. It stops working on all nodes before the response is sent',
    scope: 'admin',
    answers: [{ status: 200, description: 'Revoked now, or already revoked.', schema: apiKeyResource }],
    errors: ['not_found', 'action_forbidden'],
  },
  async ({ params }, { apiKeys }, caller) => ({
    status: 200,
    body: presentApiKey(await apiKeys.revoke(caller, params.id)),
  }),
)
