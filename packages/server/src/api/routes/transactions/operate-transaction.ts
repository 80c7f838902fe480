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
  'Hold a transaction back: no nonce is taken for it and nothing is sent',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'suspend', actor, reason }),
)

export const resumeTransaction = define(
  'resume',
  'Let a transaction that is held back go on',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'resume', actor, reason }),
)

export const retryTransaction = define(
  'retry',
  'Try again at once what waits or is stuck, with the same bytes',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'retry', actor, reason }),
)

export const cancelTransaction = define(
  'cancel',
  'Drop a transaction that has no nonce yet, or put an empty one in the place of one that has',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'cancel', actor, reason }),
)

export const speedUpTransaction = define(
  'speed-up',
  'Sign a sent transaction again at a higher price; whichever is mined counts',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'speed-up', actor, reason }),
)

export const resolveTransaction = define(
  'resolve',
  'End a stuck transaction as the final transaction that used its nonce ended, if that did the same',
  resolveRequest,
  ({ reason, hash }, actor) => ({ action: 'resolve', actor, reason, ...(hash !== undefined && { hash }) }),
)

export const requeueTransaction = define(
  'requeue',
  'Give a transaction a new nonce, where another transaction used the one that it had and did something else',
  operatorRequest,
  ({ reason }, actor) => ({ action: 'requeue', actor, reason }),
)

export const closeTransaction = define(
  'close',
  'End a transaction as CANCELLED, where another transaction used its nonce and did something else',
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
      answers: [{ status: 200, description: 'The transaction after it.', schema: transactionResource }],
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
