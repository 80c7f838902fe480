/** `GET /v1/audit`: who did what, newest first. */
import { z } from 'zod'
import { auditPage } from '../../contract/resources/api-key-resource.ts'
import { integerParam, pageLimitParam } from '../../contract/values/query.ts'
import { presentAudit } from '../../present/present-audit.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const listAudit = defineRoute(
  {
    ...NO_INPUT,
    query: z.strictObject({
      before: integerParam(1, Number.MAX_SAFE_INTEGER)
        .optional()
        .meta({ description: '`next` from the previous page.' }),
      limit: pageLimitParam,
    }),
  },
  {
    operationId: 'listAudit',
    method: 'GET',
    path: '/v1/audit',
    summary: 'Read the audit log: who changed what, newest first',
    scope: 'admin',
    answers: [{ status: 200, description: 'One page.', schema: auditPage }],
    errors: [],
  },
  async ({ query: { before = null, limit } }, { audit }) => {
    const entries = await audit.listAudit({ before, limit: limit + 1 })
    const items = entries.slice(0, limit).map(presentAudit)
    return { status: 200, body: { items, next: entries.length > limit ? (items.at(-1)?.id ?? null) : null } }
  },
)
