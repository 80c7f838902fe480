/** `POST /v1/transactions/{id}/…`: what an operator may do to one transaction. */
import { z } from 'zod'
import { actorOf } from '../../../core/access/caller.ts'
import type { OperatorRequest } from '../../../engine/operate/operate.ts'
import { operatorRequest, resolveRequest } from '../../contract/requests/operator-request.ts'
import { transactionResource } from '../../contract/resources/transaction-resource.ts'
import { transactionKeyParam } from '../../contract/values/query.ts'
import { getTransaction } from '../../lookup/get-transaction.ts'
import { presentTransaction } from '../../present/present-transaction.ts'
import { defineRoute, NO_INPUT, type Route } from '../../route.ts'

const ASKS_CHAIN: readonly OperatorRequest['action'][] = ['resolve', 'requeue', 'close']

export const suspendTransaction = define(
  'suspend',
  'Suspend a transaction: it gets no nonce and nothing is sent',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'suspend', actor, reason }),
)

export const resumeTransaction = define(
  'resume',
  'Resume a suspended transaction',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'resume', actor, reason }),
)

export const retryTransaction = define(
  'retry',
  'Retry a waiting or stuck transaction now, with the same bytes',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'retry', actor, reason }),
)

export const cancelTransaction = define(
  'cancel',
  'Cancel a transaction: drop it if it has no nonce yet, else replace it with an empty transaction',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'cancel', actor, reason }),
)

export const speedUpTransaction = define(
  'speed-up',
  'Speed up a sent transaction: sign it again at a higher price. Whichever is mined counts',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'speed-up', actor, reason }),
)

export const resolveTransaction = define(
  'resolve',
  'Resolve a stuck transaction whose nonce was used by a final transaction that did the same',
  resolveRequest,
  ({ reason, hash }, actor) => ({ action: 'resolve', actor, reason, ...(hash !== undefined && { hash }) }),
)

export const requeueTransaction = define(
  'requeue',
  'Requeue a transaction under a new nonce after another transaction used its nonce for something else',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'requeue', actor, reason }),
)

export const closeTransaction = define(
  'close',
  'Close a transaction as CANCELLED after another transaction used its nonce for something else',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'close', actor, reason }),
)

function define<B extends z.ZodType>(
  action: OperatorRequest['action'],
  summary: string,
  bodySchema: B,
  toRequest: (body: z.output<B>, actor: string) => OperatorRequest,
): Route {
  return defineRoute(
    { ...NO_INPUT, params: z.strictObject({ id: transactionKeyParam }), body: bodySchema },
    {
      operationId: `${action === 'speed-up' ? 'speedUp' : action}Transaction`,
      method: 'POST',
      path: `/v1/transactions/{id}/${action}`,
      summary,
      scope: 'operate',
      answers: [{ status: 200, description: 'The updated transaction.', schema: transactionResource }],
      errors: [
        'not_found',
        'action_forbidden',
        ...(ASKS_CHAIN.includes(action) ? (['chain_unavailable'] as const) : []),
      ],
    },
    async ({ params, body }, services, caller) => {
      const { id } = await getTransaction(services.store, params.id)
      const transaction = await services.operate(id, toRequest(body, actorOf(caller)))
      return { status: 200, body: presentTransaction(transaction, services) }
    },
  )
}
