/** One real service on a real database, with the proxy between it and a real chain that mines when told to. */
import pg from 'pg'
import { keccak256 } from 'viem'
import { expect } from 'vitest'
import { type DevelopmentAccount, developmentAccount, startTestChain, type TestChain } from '../setup/anvil.ts'
import { type MinedTransaction, readAll, readChain } from '../setup/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'

export type Preset = 'stable' | 'fast'
export const PRESETS: readonly Preset[] = ['stable', 'fast']

export interface SeenTransaction {
  readonly id: string
  readonly state: string
  readonly subState: string
  readonly nonce: number
  readonly hash: string
  readonly hashes: readonly string[]
  readonly inclusion: { readonly blockNumber: number; readonly blockHash: string } | null
  readonly receipt: { readonly status: string } | null
  readonly confirmations: { readonly count: number; readonly newForks: number }
  readonly error: { readonly code: string } | null
}

export interface SeenEvent {
  readonly type: string
  readonly cause: string | null
  readonly fromState: string | null
  readonly toState: string | null
  readonly subState: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

export interface SingleNode {
  readonly chain: TestChain
  readonly proxy: RpcProxy
  readonly sender: DevelopmentAccount
  /** Every intent that it has accepted. */
  readonly accepted: readonly string[]
  /** The process that runs now. */
  drover(): DroverProcess
  start(): Promise<void>
  stopService(signal?: NodeJS.Signals): Promise<void>
  send(intent?: Record<string, unknown>): Promise<string>
  /** So many intents that take their nonces, and leave, together. `meanwhile` is done after the last was accepted. */
  sendTogether(count: number, meanwhile?: () => void): Promise<string[]>
  read(id: string): Promise<SeenTransaction>
  until(id: string, isGood: (tx: SeenTransaction) => boolean): Promise<SeenTransaction>
  history(id: string): Promise<readonly SeenEvent[]>
  /** Mines block after block until each of them is in one of these states. */
  mineUntil(ids: readonly string[], ...states: readonly string[]): Promise<void>
  /** What a metric adds up to over all its labels that fit. */
  metric(name: string, labels?: string): Promise<number>
  isReady(): Promise<boolean>
  query<T extends pg.QueryResultRow>(sql: string): Promise<readonly T[]>
  close(): Promise<void>
}

export interface SingleNodeOptions {
  readonly preset: Preset
  readonly env?: Record<string, string>
  /** What the service talks to, given the proxy's URL. */
  readonly rpcUrl?: (proxyUrl: string) => string
}

/** Short times, so that what waits for them is over within seconds. */
const QUICK = {
  DROVER_FINALITY: '2',
  DROVER_RESUBMIT_INTERVAL: '1s',
  DROVER_STALE_RECEIPT_TIMEOUT: '1s',
  DROVER_LEASE_DURATION: '3s',
  DROVER_LEASE_RENEW_INTERVAL: '700ms',
}

export async function startSingleNode({ preset, env, rpcUrl }: SingleNodeOptions): Promise<SingleNode> {
  const chain = await startTestChain()
  const database = await createTestDatabase()
  const proxy = await startRpcProxy(chain.rpcUrl)
  const sender = developmentAccount(0)
  const accepted: string[] = []
  let process: DroverProcess | null = null

  function drover(): DroverProcess {
    if (process === null) throw new Error('the service does not run')
    return process
  }

  async function start(): Promise<void> {
    process = await startDrover({
      databaseUrl: database.url,
      rpcUrl: rpcUrl?.(proxy.url) ?? proxy.url,
      signerKeys: [sender.privateKey],
      env: { ...QUICK, DROVER_SIGNER_POLICY: preset, ...env },
    })
  }

  async function stopService(signal?: NodeJS.Signals): Promise<void> {
    await process?.end(signal)
    process = null
  }

  async function send(intent: Record<string, unknown> = {}): Promise<string> {
    const body = { from: sender.address, to: developmentAccount(9).address, value: '1', ...intent }
    const answer = await drover().post('/v1/transactions', body)
    expect(answer).toMatchObject({ status: 202 })
    accepted.push(answer.body.id)
    return answer.body.id
  }

  const read = async (id: string): Promise<SeenTransaction> => (await drover().get(`/v1/transactions/${id}`)).body

  await start()
  return {
    ...{ chain, proxy, sender, accepted, drover, start, stopService, send, read },
    sendTogether: async (count, meanwhile) => {
      const act = (action: string) => drover().post(`/v1/signers/${sender.address}/${action}`, { reason: 'collecting' })
      expect(await act('pause')).toMatchObject({ status: 200 })
      const ids: string[] = []
      for (let index = 0; index < count; index++) ids.push(await send())
      meanwhile?.()
      expect(await act('resume')).toMatchObject({ status: 200 })
      return ids
    },
    until: (id, isGood) => eventually(() => read(id), isGood),
    history: async (id) => (await drover().get(`/v1/transactions/${id}/history`)).body.items,
    mineUntil: async (ids, ...states) => {
      await eventually(
        async () => {
          await chain.mine(1)
          return await Promise.all(ids.map(read))
        },
        (transactions) => transactions.every(({ state }) => states.includes(state)),
        { everyMs: 150 },
      )
    },
    metric: async (name, labels = '') => {
      const lines = String((await drover().get('/metrics')).body).split('\n')
      const fitting = lines.filter((line) => line.startsWith(name) && line.includes(labels))
      return fitting.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    },
    isReady: async () => (await drover().get('/readyz')).status === 200,
    query: (sql) => query(database, sql),
    close: async () => {
      await stopService('SIGKILL')
      await proxy.stop()
      await database.drop()
      await chain.stop()
    },
  }
}

async function query<T extends pg.QueryResultRow>(database: TestDatabase, sql: string): Promise<readonly T[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    return (await client.query<T>(sql)).rows
  } finally {
    await client.end()
  }
}

export interface Expectation {
  /** These reverted on chain; all others succeeded. */
  readonly reverted?: readonly string[]
  /** Hashes that somebody else sent with the same key. */
  readonly foreign?: readonly string[]
  /** STUCK on the way is what the test is about. */
  readonly mayHaveBeenStuck?: boolean
}

/**
 * Each accepted intent is on the canonical chain once, read block by block; its final state says what the chain says; there is
 * one set of bytes for it, and no other bytes were ever sent; and on its way it was neither given up nor queued again.
 */
export async function expectExactlyOnce(node: SingleNode, expected: Expectation = {}): Promise<void> {
  const { reverted = [], foreign = [] } = expected
  const ids = node.accepted
  const all = (await readAll(node.drover())) as unknown as readonly SeenTransaction[]
  const from = node.sender.address.toLowerCase()
  const sent = (await readChain(node.chain)).filter((tx) => tx.from === from)
  expect(all.map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(sent.map(({ nonce }) => nonce)).toEqual(sent.map((_, index) => index))
  expect(sent.map(({ hash }) => hash).sort()).toEqual([...all.map(({ hash }) => hash), ...foreign].sort())
  for (const tx of all) {
    await expectChainAgrees(node, tx, sent, reverted.includes(tx.id))
    await expectCalmHistory(node, tx.id, expected.mayHaveBeenStuck ?? false)
  }
  await expectOneSetOfBytes(node, ids)
}

async function expectChainAgrees(
  { chain }: SingleNode,
  tx: SeenTransaction,
  sent: readonly MinedTransaction[],
  isReverted: boolean,
): Promise<void> {
  const mined = sent.find(({ hash }) => hash === tx.hash)
  expect(tx).toMatchObject({
    state: isReverted ? 'FAILED_FINAL' : 'CONFIRMED',
    nonce: mined?.nonce,
    inclusion: { blockNumber: mined?.blockNumber },
    hashes: [tx.hash],
  })
  const receipt = await chain.rpc<{ blockHash: string; status: string }>('eth_getTransactionReceipt', [tx.hash])
  expect(receipt).toMatchObject({ blockHash: tx.inclusion?.blockHash, status: isReverted ? '0x0' : '0x1' })
}

async function expectCalmHistory(node: SingleNode, id: string, mayHaveBeenStuck: boolean): Promise<void> {
  const events = await node.history(id)
  const states = events.flatMap(({ toState }) => (toState === null ? [] : [toState]))
  const runs = states.filter((state, index) => state !== states[index - 1])
  expect(runs.indexOf('ALLOCATED')).toBe(runs.lastIndexOf('ALLOCATED'))
  expect(runs.slice(runs.indexOf('ALLOCATED'))).not.toContain('QUEUED')
  // Inclusion and finality that are stored together are one step in the states, but still two happenings.
  const types = events.map(({ type }) => type)
  expect(types.indexOf('finality.reached')).toBeGreaterThan(types.indexOf('inclusion.seen'))
  expect(types).toContain('inclusion.seen')
  if (!mayHaveBeenStuck) expect(runs).not.toContain('STUCK')
}

async function expectOneSetOfBytes(node: SingleNode, ids: readonly string[]): Promise<void> {
  const attempts = await node.query<{ id: string; hash: string }>(
    `select tx_id::text as id, '0x' || encode(hash, 'hex') as hash from tx_attempt`,
  )
  expect(attempts.map(({ id }) => id).sort()).toEqual([...ids].sort())
  const known = new Set(attempts.map(({ hash }) => hash))
  for (const { method, params } of node.proxy.calls) {
    if (method === 'eth_sendRawTransaction') expect(known).toContain(keccak256(params[0] as `0x${string}`))
  }
}
