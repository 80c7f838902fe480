/**
 * What stored timers cost: creating one more, a block in which nothing fires, memory, and a takeover. Only the last two
 * should grow with their number. A node is killed while all new timers are in the log only, and stopped in order when
 * they are in the snapshot.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { developmentAccount } from '../../tests/setup/anvil.ts'
import { type BenchBase, type BenchNode, createKey, startBenchBase, startBenchNode } from '../flow/stack.ts'
import { readUsage, type Usage } from '../flow/usage.ts'
import { withDatabase } from '../flow/with-database.ts'

const CLIENTS = 100
const BLOCKS = 40
/** After so many, the timers are in the snapshot. */
const BLOCKS_BEFORE = 110
const TARGETS = 500
// Once: each call derives it from the words of the wallet, which takes longer than to create a timer.
const { address: FROM, privateKey } = developmentAccount(0)

interface Scene {
  readonly base: BenchBase
  readonly token: string
  readonly client: Client
  start(): Promise<BenchNode>
}

type Rows = Record<string, string>

export async function measureStoredTimers(sizes: readonly number[]): Promise<Readonly<Rows>> {
  const base = await startBenchBase({
    name: 'timers',
    signers: 1,
    intents: 0,
    blockSeconds: 0,
    preset: 'fast',
    simulate: false,
  })
  try {
    const most = String(2 * Math.max(...sizes))
    const start = () =>
      startBenchNode(base, {
        DROVER_SIGNER_KEYS: privateKey,
        DROVER_SIGNER_POLICY: 'fast',
        DROVER_FINALITY: '2',
        DROVER_LEASE_DURATION: '5s',
        DROVER_LEASE_RENEW_INTERVAL: '1s',
        DROVER_MAX_TIMERS_PER_TENANT: most,
        DROVER_MAX_TIMERS_PER_SIGNER: most,
        DROVER_TENANT_SHARE: '100',
      })
    const token = createKey(base.databaseUrl, 'bench', 'read,send,operate,admin')
    return await withDatabase(base.databaseUrl, (client) => measureSizes({ base, token, client, start }, sizes))
  } finally {
    await base.stop()
  }
}

async function measureSizes(scene: Scene, sizes: readonly number[]): Promise<Rows> {
  const rows: Rows = {}
  const note = (what: string, figure: string): void => {
    rows[what] = figure
    // It takes minutes.
    process.stderr.write(`${what}: ${figure}\n`)
  }
  let node = await scene.start()
  await scene.base.chain.call('anvil_mine', ['0x3'])
  let stored = 0
  for (const size of sizes) {
    const label = `${size.toLocaleString('en')} stored`
    note(`${label}: created`, await fill(scene, node, stored, size))
    stored = size
    const killed = await replace(scene, node, 'SIGKILL')
    note(`${label}: load after kill -9, ${killed.source}`, `${killed.tookMs} ms`)
    node = killed.node
    for (let block = 0; block < BLOCKS_BEFORE; block++) await mineBlock(scene)
    note(`${label}: a block without a fire`, await measureBlocks(scene, node))
    const ended = await replace(scene, node, 'SIGTERM')
    note(`${label}: load after an orderly stop, ${ended.source}`, `${ended.tookMs} ms`)
    node = ended.node
  }
  return rows
}

async function fill(scene: Scene, node: BenchNode, from: number, to: number): Promise<string> {
  const before = await usageOf(scene, node)
  const startedAt = performance.now()
  let next = from
  const create = async (): Promise<void> => {
    while (next < to) await createTimer(scene, node, next++)
  }
  await Promise.all(Array.from({ length: CLIENTS }, create))
  const rate = (to - from) / ((performance.now() - startedAt) / 1_000)
  const { statements, serviceMs } = usedBetween(before, await usageOf(scene, node), to - from)
  return `${rate.toFixed(0)}/s, each ${statements.toFixed(2)} statements, ${serviceMs.toFixed(2)} ms CPU`
}

async function createTimer({ token }: Scene, { url }: BenchNode, n: number): Promise<void> {
  const to = `0x${(0xc0_00_00 + (n % TARGETS)).toString(16).padStart(40, '0')}`
  const schedule = { type: 'timeout', height: 10_000_000 + (n % 1_000) }
  const response = await fetch(`${url}/v1/timers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ from: FROM, to, call: { function: 'poke()' }, gasLimit: '30000', schedule }),
  })
  const answer = await response.text()
  if (response.status !== 201) throw new Error(`a timer was not created: ${response.status} ${answer}`)
}

/** A new block, once the timers have come to it. Looked up in the database, so that it costs the service nothing. */
async function mineBlock({ base, client }: Scene): Promise<number> {
  const startedAt = performance.now()
  await base.chain.call('evm_mine')
  const head = Number(await base.chain.call<string>('eth_blockNumber'))
  while (Number((await client.query('select height from timer_chain')).rows[0]?.height) < head) await pause(1)
  return performance.now() - startedAt
}

async function measureBlocks(scene: Scene, node: BenchNode): Promise<string> {
  const before = await usageOf(scene, node)
  const times: number[] = []
  for (let block = 0; block < BLOCKS; block++) times.push(await mineBlock(scene))
  const after = await usageOf(scene, node)
  const { serviceMs, ofTimers } = usedBetween(before, after, BLOCKS)
  const ms = times.sort((a, b) => a - b)[BLOCKS / 2] ?? 0
  const megabytes = ((after.memory ?? 0) / 1e6).toFixed(0)
  return `${ms.toFixed(1)} ms, ${serviceMs.toFixed(1)} ms CPU, ${ofTimers.toFixed(1)} statements; memory ${megabytes} MB`
}

/** Another node is ready when this one ends. */
async function replace(scene: Scene, node: BenchNode, signal: 'SIGKILL' | 'SIGTERM') {
  const heir = await scene.start()
  const taken = heir.lineWhere((line) => line.includes('took over the timers of a chain'))
  const { rows } = await scene.client.query(
    `select command_seq, coalesce((snapshot_block ->> 'seq')::bigint, 0) as in_snapshot from timer_chain`,
  )
  await node.end(signal)
  const { tookMs } = JSON.parse(await taken) as { readonly tookMs: number }
  const inLog = Number(rows[0]?.command_seq) - Number(rows[0]?.in_snapshot)
  return { node: heir, tookMs, source: `${inLog.toLocaleString('en')} of them in the log` }
}

function usageOf({ base, token }: Scene, { url, pid }: BenchNode): Promise<Usage> {
  return readUsage({ ...base, accounts: [], service: { url, pid, token } })
}

function usedBetween(before: Usage, after: Usage, times: number) {
  const counts = Object.entries(after.statements).map(
    ([name, count]) => [name, count - (before.statements[name] ?? 0)] as const,
  )
  const sum = (fits: (name: string) => boolean) =>
    counts.reduce((all, [name, count]) => all + (fits(name) ? count : 0), 0) / times
  return {
    statements: sum(() => true),
    ofTimers: sum((name) => /timer|fire/.test(name) && !name.includes('lease')),
    serviceMs: ((after.cpu?.service ?? 0) - (before.cpu?.service ?? 0)) / 1_000 / times,
  }
}
