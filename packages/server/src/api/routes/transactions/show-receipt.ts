/**
 * `GET /v1/transactions/{id}/receipt`: what the block says about a transaction. Logs, if requested, are read from a
 * node.
 */
import { z } from 'zod'
import { AppError } from '../../../core/app-error.ts'
import type { Inclusion } from '../../../core/chain/finality.ts'
import { inclusionOf } from '../../../core/transaction/transaction.ts'
import type { Log } from '../../../ports/chain.ts'
import type { ApiServices } from '../../api-services.ts'
import { type ReceiptWithLogs, receiptWithLogs } from '../../contract/resources/receipt-resource.ts'
import { checksumAddress } from '../../contract/values/address.ts'
import { transactionKeyParam } from '../../contract/values/query.ts'
import { getTransaction } from '../../lookup/get-transaction.ts'
import { presentReceipt } from '../../present/present-receipt.ts'
import { defineRoute, NO_INPUT } from '../../route.ts'

const MAX_LOGS = 1_000

export const showReceipt = defineRoute(
  {
    ...NO_INPUT,
    params: z.strictObject({ id: transactionKeyParam }),
    query: z.strictObject({
      include: z
        .literal('logs', { error: 'must be logs' })
        .optional()
        .meta({ description: '`logs`: include the logs, read from an RPC node now.' }),
    }),
  },
  {
    operationId: 'showReceipt',
    method: 'GET',
    path: '/v1/transactions/{id}/receipt',
    summary: 'Show the receipt of a transaction, optionally with its logs',
    scope: 'read',
    answers: [{ status: 200, description: 'The receipt of the mined attempt.', schema: receiptWithLogs }],
    errors: ['not_found', 'chain_unavailable'],
  },
  async ({ params, query: { include } }, services) => {
    const tx = await getTransaction(services.store, params.id)
    const inclusion = inclusionOf(tx)
    if (inclusion === null) {
      throw new AppError('not_found', `Transaction ${tx.id} is not mined, so it has no receipt.`, { field: 'id' })
    }
    const receipt = presentReceipt(inclusion)
    if (include === undefined) return { status: 200, body: receipt }
    const logs = await readLogs(services, tx.intent.lane.chainId, inclusion)
    const body: ReceiptWithLogs = {
      ...receipt,
      logs: logs.slice(0, MAX_LOGS).map(presentLog),
      logCount: logs.length,
    }
    return { status: 200, body }
  },
)

/** Only from the recorded block: an answer from a node on another fork is about something else. */
async function readLogs(
  services: Pick<ApiServices, 'readLogs'>,
  chainId: number,
  { txHash, blockHash, blockNumber }: Inclusion,
): Promise<readonly Log[]> {
  const found = await services.readLogs(chainId, txHash)
  if (found?.blockHash === blockHash) return found.logs
  const message = `The RPC node does not show this transaction in block ${blockNumber} right now. Retry later.`
  throw new AppError('chain_unavailable', message, { retryAfterMs: 1_000 })
}

function presentLog({ address, topics, data, logIndex }: Log) {
  return { address: checksumAddress(address), topics: [...topics], data, logIndex }
}
