/** Responds with a transaction, immediately or when it gets as far as the caller wants to wait for. */
import type { Transaction } from '../../core/transaction/transaction.ts'
import type { ApiServices } from '../api-services.ts'
import { timeoutOf, WAIT_HEADER, type WaitQuery } from '../contract/requests/wait.ts'
import { presentTransaction } from '../present/present-transaction.ts'
import type { RouteReply } from '../route.ts'

type Services = Pick<ApiServices, 'waits' | 'viewOf' | 'finalityOf'>

interface Asked {
  readonly purpose: 'look' | 'send'
  readonly query: WaitQuery
  disconnected(): AbortSignal
}

interface Found {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly transaction: Transaction
}

/**
 * `get` finds or creates the transaction. A waiting slot is taken first, so no request is accepted and then cannot
 * wait.
 */
export async function answerWhenThere(
  services: Services,
  { purpose, query, disconnected }: Asked,
  get: () => Promise<Found>,
): Promise<RouteReply> {
  if (query.wait === undefined) {
    const { status, headers = {}, transaction } = await get()
    return { status, headers, body: presentTransaction(transaction, services) }
  }
  const place = services.waits.enter(purpose)
  try {
    const { status, headers, transaction: first } = await get()
    const wait = { stage: query.wait, timeoutMs: timeoutOf(query), signal: disconnected() }
    const { transaction, outcome } = await place.until(first, wait)
    return {
      status,
      headers: { ...headers, [WAIT_HEADER]: outcome },
      body: presentTransaction(transaction, services),
    }
  } finally {
    place.leave()
  }
}
