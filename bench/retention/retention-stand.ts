/** A lane whose signer has sent millions of transactions: one real one, the copies of it, and nodes to ask about them. */
import type { Client } from 'pg'
import { developmentAccount } from '../../tests/setup/anvil.ts'
import { eventually } from '../../tests/setup/eventually.ts'
import { type BenchBase, type BenchNode, startBenchNode } from '../flow/stack.ts'
import { MAX_COPIES, raiseNumbers } from './fill-finished.ts'

// biome-ignore lint/suspicious/noExplicitAny: a bench looks into whatever JSON comes back
export type Call = (method: string, path: string, body?: unknown) => Promise<any>

export const SENDER = developmentAccount(0)

export interface RetentionStand {
  readonly client: Client
  start(env?: Readonly<Record<string, string>>): Promise<BenchNode>
  callOf(node: BenchNode): Call
}

export function createRetentionStand(base: BenchBase, client: Client, token: string): RetentionStand {
  return {
    client,
    start: (env = {}) =>
      startBenchNode(base, {
        DROVER_SIGNER_KEYS: SENDER.privateKey,
        DROVER_FINALITY: '1',
        DROVER_SIGNER_POLICY: 'fast',
        ...env,
      }),
    callOf:
      ({ url }) =>
      async (method, path, body) => {
        const answer = await fetch(`${url}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
        return await answer.json()
      },
  }
}

/** A finished transfer that the service sent, with room before it for the copies. */
export async function ensureOriginal(base: BenchBase, stand: RetentionStand): Promise<string> {
  const { client } = stand
  const found = await findOriginal(client)
  if (found !== null) return found
  await raiseNumbers(client)
  await base.chain.call('anvil_setNonce', [SENDER.address, `0x${MAX_COPIES.toString(16)}`])
  const node = await stand.start()
  const body = { from: SENDER.address, to: SENDER.address, value: '1', requestId: 'original' }
  await stand.callOf(node)('POST', '/v1/transactions', body)
  const id = await eventually(
    () => findOriginal(client),
    (known) => known !== null,
  )
  await node.end('SIGTERM')
  return id ?? ''
}

/** Null: there is none, or no table for it. */
export async function findOriginal(client: Client): Promise<string | null> {
  const table = await client.query(`select to_regclass('managed_tx') as name`)
  if (table.rows[0]?.name === null) return null
  const { rows } = await client.query<{ tx_id: string }>(
    `select tx_id from managed_tx where request_id = 'original' and final_at is not null`,
  )
  return rows[0]?.tx_id ?? null
}
