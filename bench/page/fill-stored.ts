/** Fills the database with stored transactions: copies of one that the service has confirmed. */
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchStack } from '../flow/stack.ts'
import { withDatabase } from '../flow/with-database.ts'

const FILL = `
insert into managed_tx
select copy.*
  from managed_tx m
  cross join generate_series(1, $2::bigint) as number
  cross join lateral jsonb_populate_record(m, jsonb_build_object(
    'tx_id', gen_random_uuid(),
    'request_id', 'stored-' || lpad(number::text, 6, '0'),
    'nonce', m.nonce + number,
    'accepted_seq', nextval('managed_tx_accepted_seq')
  )) as copy
 where m.tx_id = $1`

export async function fillStored(stack: BenchStack, count: number): Promise<void> {
  const id = await confirmOne(stack)
  await withDatabase(stack.databaseUrl, async (client) => {
    await client.query(FILL, [id, count])
    await client.query('analyze managed_tx')
  })
}

async function confirmOne({ service, accounts }: BenchStack): Promise<string> {
  // The last signer: the others are used under load, and its nonces are made up from then on.
  const from = accounts.at(-1)?.address
  const call = async (path: string, body?: unknown): Promise<{ readonly id: string; readonly state: string }> => {
    const answer = await fetch(`${service.url}${path}`, {
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as { readonly id: string; readonly state: string }
  }
  const { id } = await call('/v1/transactions', { from, to: from, value: '1' })
  while ((await call(`/v1/transactions/${id}`)).state !== 'CONFIRMED') await pause(200)
  return id
}
