/**
 * Small reads that are asked for in the same turn of the event loop leave in one request: with every block each lane wants
 * its counts and its balance, and a hundred lanes should cost what one does. Calls that may take a node long are not held
 * together with them, and nothing grows beyond what the node takes in one request.
 */
import type { RpcReply, RpcRequest } from './read-reply.ts'

type Replies = readonly RpcReply[]
type SendReads = (requests: readonly RpcRequest[], patient: boolean) => Promise<Replies>

/** Calls that a node answers from memory. */
const SMALL = new Set(['eth_getTransactionCount', 'eth_getBalance', 'eth_getCode', 'eth_getTransactionByHash'])

interface Asked {
  readonly requests: readonly RpcRequest[]
  resolve(replies: Replies): void
  reject(error: unknown): void
}

interface TurnPorts {
  readonly send: SendReads
  /** Calls that one request may hold now. */
  batchSize(): number
  /** The node is rate limited: it is tried with the smallest request. */
  isRefused(): boolean
}

export function createReadTurn({ send, batchSize, isRefused }: TurnPorts): SendReads {
  const asked: Record<'patient' | 'hasty', Asked[]> = { patient: [], hasty: [] }

  async function sendGroup(group: readonly Asked[], patient: boolean): Promise<void> {
    try {
      const replies = await send(
        group.flatMap(({ requests }) => requests),
        patient,
      )
      let at = 0
      for (const { requests, resolve } of group) {
        resolve(replies.slice(at, at + requests.length))
        at += requests.length
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  function sendAll(patient: boolean): void {
    const waiting = asked[patient ? 'patient' : 'hasty'].splice(0)
    // One call of the request asks for the chain id.
    const most = batchSize() - 1
    let group: Asked[] = []
    let size = 0
    for (const each of waiting) {
      if (group.length > 0 && size + each.requests.length > most) {
        void sendGroup(group, patient)
        group = []
        size = 0
      }
      group.push(each)
      size += each.requests.length
    }
    if (group.length > 0) void sendGroup(group, patient)
  }

  return (requests, patient) => {
    if (isRefused() || !requests.every(({ method }) => SMALL.has(method))) return send(requests, patient)
    return new Promise((resolve, reject) => {
      const line = asked[patient ? 'patient' : 'hasty']
      if (line.length === 0) setImmediate(() => sendAll(patient))
      line.push({ requests, resolve, reject })
    })
  }
}
