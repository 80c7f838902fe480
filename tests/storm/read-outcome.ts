/** The state at the end: every block of the chain, and every row that Drover stored. */
import { Client } from 'pg'
import type { Rpc, StormChain } from './storm-chain.ts'

export interface StoredTx {
  readonly id: string
  readonly marker: string
  readonly chainId: number
  readonly signer: string
  readonly state: string
  readonly nonce: number | null
  readonly isFill: boolean
  readonly hashes: readonly string[]
}

export interface StoredEvent {
  readonly eventId: number
  readonly txId: string | null
  readonly chainId: number
  readonly signer: string
  readonly type: string
  readonly toState: string | null
  readonly at: number
  readonly detail: unknown
}

export interface MinedTx {
  readonly hash: string
  readonly chainId: number
  readonly signer: string
  readonly nonce: number
  readonly marker: string
  readonly blockNumber: number
}

export interface Outcome {
  readonly transactions: readonly StoredTx[]
  readonly events: readonly StoredEvent[]
  readonly mined: readonly MinedTx[]
  readonly lanes: readonly LaneCounts[]
}

export interface LaneCounts {
  readonly chainId: number
  readonly signer: string
  /** The nonce that Drover would assign next. */
  readonly cursor: number
  /** Nonces that came back and are free. */
  readonly free: readonly number[]
  /** The nonce count of the chain. */
  readonly latest: number
  readonly pending: number
}

interface OutcomeSource {
  readonly databaseUrl: string
  readonly chains: readonly Pick<StormChain, 'chainId' | 'rpc'>[]
  /** In lower case. */
  readonly signers: readonly string[]
}

export async function readOutcome({ databaseUrl, chains, signers }: OutcomeSource): Promise<Outcome> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const mined: MinedTx[] = []
    for (const chain of chains) mined.push(...(await readMined(chain, new Set(signers))))
    const [transactions, events] = [await readTransactions(client), await readEvents(client)]
    return { transactions, events, mined, lanes: await readLanes(client, chains) }
  } finally {
    await client.end()
  }
}

async function count(rpc: Rpc, signer: string, tag: string): Promise<number> {
  return Number(await rpc<string>('eth_getTransactionCount', [signer, tag]))
}

async function readLanes(client: Client, chains: OutcomeSource['chains']): Promise<readonly LaneCounts[]> {
  const { rows } = await client.query(`
    select chain_id, '0x' || encode(signer, 'hex') as signer, next_nonce,
           (select coalesce(array_agg(n.nonce), '{}') from nonce_allocation n
             where n.chain_id = c.chain_id and n.signer = c.signer and n.is_recyclable) as free
      from signer_nonce_cursor c`)
  return await Promise.all(
    rows.map(async ({ chain_id, signer, next_nonce, free }) => {
      const chain = chains.find(({ chainId }) => chainId === Number(chain_id))
      if (chain === undefined) throw new Error(`a lane on chain ${chain_id}, which is not part of the storm`)
      const [latest, pending] = [await count(chain.rpc, signer, 'latest'), await count(chain.rpc, signer, 'pending')]
      const { chainId } = chain
      return { chainId, signer, cursor: Number(next_nonce ?? 0), free: free.map(Number), latest, pending }
    }),
  )
}

async function readTransactions(client: Client): Promise<readonly StoredTx[]> {
  const { rows } = await client.query(`
    select t.tx_id, t.chain_id, '0x' || encode(t.data, 'hex') as data, '0x' || encode(t.signer, 'hex') as signer, t.state, t.nonce,
           t.metadata ->> 'purpose' as purpose,
           coalesce((select array_agg('0x' || encode(a.hash, 'hex')) from tx_attempt a where a.tx_id = t.tx_id), '{}') as hashes
      from managed_tx t`)
  return rows.map((row) => ({
    id: row.tx_id,
    marker: row.data,
    signer: row.signer,
    state: row.state,
    hashes: row.hashes,
    chainId: Number(row.chain_id),
    nonce: row.nonce === null ? null : Number(row.nonce),
    isFill: row.purpose === 'gap_fill',
  }))
}

async function readEvents(client: Client): Promise<readonly StoredEvent[]> {
  const { rows } = await client.query(
    `select event_id, tx_id, chain_id, '0x' || encode(signer, 'hex') as signer, type, to_state, at, detail from tx_event order by event_id`,
  )
  return rows.map((row) => ({
    eventId: Number(row.event_id),
    txId: row.tx_id,
    signer: row.signer,
    type: row.type,
    toState: row.to_state,
    chainId: Number(row.chain_id),
    at: row.at.getTime(),
    detail: row.detail,
  }))
}

interface Block {
  readonly transactions: readonly { hash: string; from: string; nonce: string; input: string }[]
}

async function readMined(
  { chainId, rpc }: Pick<StormChain, 'chainId' | 'rpc'>,
  signers: ReadonlySet<string>,
): Promise<readonly MinedTx[]> {
  const head = Number(await rpc<string>('eth_blockNumber'))
  const mined: MinedTx[] = []
  for (let blockNumber = 0; blockNumber <= head; blockNumber++) {
    const block = await rpc<Block>('eth_getBlockByNumber', [`0x${blockNumber.toString(16)}`, true])
    for (const { hash, from, nonce, input } of block.transactions)
      if (signers.has(from))
        mined.push({ hash, chainId, signer: from, nonce: Number(nonce), marker: input, blockNumber })
  }
  return mined
}
