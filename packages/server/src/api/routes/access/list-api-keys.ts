/** `GET /v1/api-keys`: all keys, revoked ones too. */
import { apiKeyList } from '../../contract/resources/api-key-resource.ts'
import { presentApiKey } from '../../present/present-api-key.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const listApiKeys = defineRoute(
  NO_INPUT,
  {
    operationId: 'listApiKeys',
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'List the API keys, newest first, without their secrets',
    scope: 'admin',
    answers: [
      {
        status: 200,
        description: 'All keys. A key that is limited to some signers or chains sees only keys within those limits.',
        schema: apiKeyList,
      },
    ],
    errors: [],
  },
  async (_, { apiKeys }, caller) => ({
    status: 200,
    body: { items: (await apiKeys.list(caller)).map(presentApiKey) },
  }),
)
