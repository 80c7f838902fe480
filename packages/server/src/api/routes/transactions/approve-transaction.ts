/** `POST /v1/transactions/{id}/approve` and `/reject`: releases a transaction that waits for approval, or ends it. */
import { z } from 'zod'
import type { ApprovalDecision } from '../../../engine/rules/decide-approval.ts'
import { operatorRequest } from '../../contract/requests/operator-request.ts'
import { transactionResource } from '../../contract/resources/transaction-resource.ts'
import { transactionKeyParam } from '../../contract/values/query.ts'
import { getTransaction } from '../../lookup/get-transaction.ts'
import { presentTransaction } from '../../present/present-transaction.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

export const approveTransaction = define(
  'approve',
  'Approve a transaction that waits for approval, as one of the keys its rules name',
)
export const rejectTransaction = define('reject', 'Refuse a transaction that waits for approval: it is CANCELLED')

function define(verdict: ApprovalDecision['verdict'], summary: string) {
  return defineRoute(
    { ...NO_INPUT, params: z.strictObject({ id: transactionKeyParam }), body: operatorRequest },
    {
      operationId: `${verdict}Transaction`,
      method: 'POST',
      path: `/v1/transactions/{id}/${verdict}`,
      summary,
      scope: 'approve',
      audited: true,
      answers: [{ status: 200, description: 'The updated transaction.', schema: transactionResource }],
      errors: ['not_found', 'action_forbidden'],
    },
    async ({ params, body: { reason } }, services, caller) => {
      const { id } = await getTransaction(services.store, params.id)
      const transaction = await services.decideApproval(id, { verdict, reason, caller })
      return { status: 200, body: presentTransaction(transaction, services) }
    },
  )
}
