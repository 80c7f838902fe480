/** `GET /v1/audit/check`: whether the audit is unaltered. */
import { z } from 'zod'
import { auditCheckResource } from '../../contract/resources/api-key-resource.ts'
import { integerParam } from '../../contract/values/query.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

const MAX_ENTRIES = 20_000

export const checkAudit = defineRoute(
  {
    ...NO_INPUT,
    query: z.strictObject({
      after: integerParam(0, Number.MAX_SAFE_INTEGER)
        .default(0)
        .meta({ description: '`last.id` of the previous check, to continue from there.' }),
    }),
  },
  {
    operationId: 'checkAudit',
    method: 'GET',
    path: '/v1/audit/check',
    summary: `Verify the hashes of the audit log, ${MAX_ENTRIES} entries at a time`,
    scope: 'admin',
    answers: [{ status: 200, description: 'The result.', schema: auditCheckResource }],
    errors: [],
  },
  async ({ query: { after } }, { audit }) => ({
    status: 200,
    body: await audit.checkAudit({ after, limit: MAX_ENTRIES }),
  }),
)
