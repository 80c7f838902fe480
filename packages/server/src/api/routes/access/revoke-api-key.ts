/** `DELETE /v1/api-keys/{id}`: revokes a key. */
import { z } from 'zod'
import { apiKeyResource } from '../../contract/resources/api-key-resource.ts'
import { presentApiKey } from '../../present/present-api-key.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

const keyIdParam = z
  .string()
  .regex(/^[0-9a-f]{16}$/, {
    error: 'must be the id of an API key: 16 hex digits, the part between drv_ and the secret',
  })
  .meta({ description: 'Id of the key.' })

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
