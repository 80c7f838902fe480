/** What goes first if a node allows fewer calls than there are: without heads and sends nothing moves. */
import type { RpcRequest } from './read-reply.ts'

/** Lower goes first. */
export const PRIORITY = { heads: 0, sends: 1, receipts: 2, preparation: 3, forwarded: 4 } as const
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY]

const BY_METHOD: Readonly<Record<string, Priority>> = {
  eth_chainId: PRIORITY.heads,
  eth_blockNumber: PRIORITY.heads,
  eth_getBlockByNumber: PRIORITY.heads,
  eth_getBlockByHash: PRIORITY.heads,
  eth_sendRawTransaction: PRIORITY.sends,
  eth_getTransactionReceipt: PRIORITY.receipts,
  eth_getBlockReceipts: PRIORITY.receipts,
  eth_getTransactionByHash: PRIORITY.receipts,
}

/** That of its least urgent call: a batch is not more urgent than any part of it. */
export function priorityOf(requests: readonly RpcRequest[]): Priority {
  let lowest: Priority = PRIORITY.heads
  for (const { method } of requests) {
    const priority = BY_METHOD[method] ?? PRIORITY.preparation
    if (priority > lowest) lowest = priority
  }
  return lowest
}
