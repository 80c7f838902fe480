/** `POST /v1/api-keys`: creates a key, and returns its secret once. */
import { apiKeyRequest } from '../../contract/requests/api-key-request.ts'
import { newApiKeyResource } from '../../contract/resources/api-key-resource.ts'
import { presentApiKey } from '../../present/present-api-key.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const createApiKey = defineRoute(
  { ...NO_INPUT, body: apiKeyRequest },
  {
    operationId: 'createApiKey',
    method: 'POST',
    path: '/v1/api-keys',
    summary: 'Create an API key. Once one exists, every call needs one',
    scope: 'admin',
    answers: [{ status: 201, description: 'The key, with its token.', schema: newApiKeyResource }],
    errors: [],
  },
  async ({ body }, { apiKeys }, caller) => {
    const { key, token } = await apiKeys.create(caller, body)
    return {
      status: 201,
      headers: { location: `/v1/api-keys/${key.id}` },
      body: { ...presentApiKey(key), token },
    }
  },
)
