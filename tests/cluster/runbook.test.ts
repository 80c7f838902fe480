/**
 * The entries of docs/runbook.md that need two nodes, API keys, or a database, a chain or an endpoint that goes away.
 * Each trouble is brought about on real processes. Its alert fires in a real Prometheus, every place that names the
 * trouble links to its entry, and what the entry says to do ends it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, startTestChain } from '../setup/anvil.ts'
import { startCli } from '../setup/cli-terminal.ts'
import { type DroverProcess, startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { createFirstKey, type FirstKey } from '../setup/first-key.ts'
import { type Ground, startGround } from '../setup/ground.ts'
import { type Prometheus, startPrometheus } from '../setup/prometheus.ts'
import { freezeView } from '../setup/rpc-limits.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { createTcpRelay, type TcpRelay } from '../setup/tcp-relay.ts'

/** A signer for each trouble, so that none is in the way of another. */
const SIGNERS = {
  away: developmentAccount(0),
  standing: developmentAccount(1),
  rewound: developmentAccount(2),
  final: developmentAccount(3),
  held: developmentAccount(4),
  approved: developmentAccount(5),
  full: developmentAccount(6),
  private: developmentAccount(7),
  wrong: developmentAccount(8),
}
type Signer = keyof typeof SIGNERS
const addressOf = (signer: Signer): string => SIGNERS[signer].address

let ground: Ground
let relay: TcpRelay
/** The two RPC nodes that are read from, and the one that only one signer sends to. */
let first: RpcProxy
let second: RpcProxy
let privately: RpcProxy
let nodes: [DroverProcess, DroverProcess]
let ops: FirstKey
let prometheus: Prometheus
let settings: Record<string, string>
let folder: string

beforeAll(async () => {
  ground = await startGround({ blockTimeSeconds: 1, accounts: 10 })
  folder = await mkdtemp(join(tmpdir(), 'drover-runbook-'))
  first = await startRpcProxy(ground.chain.rpcUrl)
  second = await startRpcProxy(ground.chain.rpcUrl)
  privately = await startRpcProxy(ground.chain.rpcUrl)
  const databaseUrl = new URL(ground.database.url)
  relay = await createTcpRelay({ host: databaseUrl.hostname, port: Number(databaseUrl.port) })
  await relay.open()
  databaseUrl.hostname = '127.0.0.1'
  databaseUrl.port = String(relay.port)
  settings = {
    DROVER_DATABASE_URL: databaseUrl.href,
    DROVER_RPC_URL: [first, second].map(({ url }) => url).join(','),
    DROVER_RPC_SEND_URL: `${addressOf('private')}=${privately.url}`,
    DROVER_CHAIN_ID: '31337',
    DROVER_SIGNER_KEYS: Object.values(SIGNERS)
      .map(({ privateKey }) => privateKey)
      .join(','),
    DROVER_FINALITY: '2',
    DROVER_POLL_INTERVAL: '100ms',
    DROVER_STANDING_AFTER: '3s',
    DROVER_RESUBMIT_INTERVAL: '1s',
    DROVER_LEASE_DURATION: '3s',
    DROVER_LEASE_RENEW_INTERVAL: '700ms',
    DROVER_MAX_QUEUED_PER_SIGNER: '4',
    DROVER_SIMULATION_TIMEOUT: '30s',
  }
  nodes = [await startNode(), await startNode()]
  const scopes = ['read', 'send', 'operate', 'admin']
  ops = await createFirstKey(ground.database.url, { name: 'ops', scopes })
  const { token } = await createFirstKey(ground.database.url, { name: 'prometheus', scopes: ['read'] })
  prometheus = await startPrometheus({ token })
  await watchNodes()
})

afterAll(async () => {
  await prometheus?.stop()
  for (const node of nodes ?? []) await node.end('SIGKILL')
  await relay?.close()
  for (const proxy of [first, second, privately]) await proxy?.stop()
  await ground?.stop()
  await rm(folder, { recursive: true })
})

function startNode(): Promise<DroverProcess> {
  const { DROVER_DATABASE_URL: databaseUrl = '', DROVER_SIGNER_KEYS: keys = '', ...env } = settings
  return startDrover({ databaseUrl, signerKeys: keys.split(','), env })
}

const watchNodes = () => prometheus.watch(nodes.map(({ url }) => url))

/** As the entries have it: the commands ask a node. `code`: how it has to end. */
async function run(args: readonly string[], { key = ops.token, code = 0 } = {}): Promise<string> {
  const env = { DROVER_URL: nodes[0].url, DROVER_API_KEY: key }
  const ended = await startCli(args, { env }).ended
  expect([args.join(' '), ended.code, ended.stderr]).toEqual([args.join(' '), code, expect.any(String)])
  return ended.stdout + ended.stderr
}

/** On the host of a node, with its settings. */
async function runOnHost(...args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const { code, stdout, stderr } = await startCli(args, { env: settings }).ended
  return { code, said: stdout + stderr }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const withKey = () => bearer(ops.token)
const why = ['--reason', 'the runbook says so']

async function post(from: Signer, intent: object = {}) {
  const body = { from: addressOf(from), to: developmentAccount(9).address, value: '1', ...intent }
  return await nodes[0].post('/v1/transactions', body, withKey())
}

async function send(from: Signer, intent: object = {}): Promise<string> {
  const { status, body } = await post(from, intent)
  expect([status, body]).toEqual([202, body])
  return body.id
}

// biome-ignore lint/suspicious/noExplicitAny: JSON of the API
const read = async (id: string): Promise<any> =>
  (await nodes[0].request('GET', `/v1/transactions/${id}`, undefined, withKey())).body
const until = async (id: string, ...states: readonly string[]) =>
  await eventually(
    () => read(id),
    ({ state, subState }) => states.includes(state) || states.includes(subState),
  )

/** The sum over both nodes, as the alerts see it; those that do not answer count as nothing. */
async function sumOf(series: RegExp): Promise<number> {
  const bodies = await Promise.all(
    nodes.map((node) => node.request('GET', '/metrics', undefined, withKey()).catch(() => ({ body: '' }))),
  )
  const lines = bodies.flatMap(({ body }) => String(body).split('\n')).filter((line) => series.test(line))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
const untilSum = (series: RegExp, isGood: (value: number) => boolean) => eventually(() => sumOf(series), isGood)
const untilSays = (look: () => Promise<string>, text: string) => eventually(look, (said) => said.includes(text))
const readyz =
  (node = nodes[0]) =>
  async () =>
    JSON.stringify((await node.get('/readyz')).body)
const logs = () => nodes.map((node) => node.output()).join('\n')
const untilLogged = (text: string) => untilSays(async () => logs(), text)
/** Rules in a file, as `drover rules set` takes them. */
async function store(rules: object): Promise<string> {
  const path = join(folder, 'rules.json')
  await writeFile(path, JSON.stringify({ mode: 'enforce', ...rules }))
  return path
}
const entry = (name: string) => `docs/runbook.md#${name}`

test('Database down', async () => {
  const id = await send('away')
  await relay.close()
  await prometheus.untilFired('DroverDatabaseDown', 'database-down')
  await untilSays(readyz(), entry('database-down'))
  await untilLogged(`"runbook":"${entry('database-down')}"`)
  const refused = await eventually(
    () => startCli(['tx', 'explain', id], { env: { DROVER_URL: nodes[0].url, DROVER_API_KEY: ops.token } }).ended,
    ({ stderr }) => stderr.includes('database_unavailable'),
  )
  expect(refused.code).not.toBe(0)
  const doctor = await runOnHost('doctor')
  expect(doctor).toMatchObject({ code: 1, said: expect.stringMatching(/✗ database: .*ECONNREFUSED/) })
  await relay.open()
  await untilSum(/^drover_database_up /, (up) => up === 2)
  await until(id, 'CONFIRMED')
  // Both were away at once, and each took back its own: that is no takeover.
  await untilLogged('leases expired')
})

test('Chain stalled', async () => {
  await ground.chain.setBlockInterval(0)
  const id = await send('standing')
  await prometheus.untilFired('DroverChainStanding', 'chain-stalled')
  // Whichever node is asked: one of them runs the signer, and the other does not.
  for (const node of nodes) await untilSays(readyz(node), entry('chain-stalled'))
  await untilLogged(`"runbook":"${entry('chain-stalled')}"`)
  expect(await run(['tx', 'explain', id])).toContain(entry('chain-stalled'))
  expect(await run(['chain', 'list'])).toMatch(/stalled\s+The chain has made no block/)
  await ground.chain.setBlockInterval(1)
  await until(id, 'CONFIRMED')
  for (const node of nodes) await untilSays(readyz(node), '"status":"ready"')
})

test('Chain rewound', async () => {
  await eventually(
    () => ground.chain.blockNumber(),
    (height) => height > 6,
  )
  await ground.chain.setBlockInterval(0)
  const id = await send('rewound')
  await until(id, 'pending')
  await ground.chain.mine(1)
  await until(id, 'mined')
  await ground.chain.rollback(6)
  await prometheus.untilFired('DroverChainRewound', 'chain-rewound')
  await untilSays(readyz(), entry('chain-rewound'))
  await untilLogged(`"runbook":"${entry('chain-rewound')}"`)
  expect(await run(['chain', 'list'])).toMatch(/rewound\s+The chain went back/)
  expect(await run(['tx', 'explain', id])).toContain(entry('chain-rewound'))
  await run(['tx', 'list', '--state', 'QUEUED,ALLOCATED,TRACKING'])
  await ground.chain.setBlockInterval(1)
  await until(id, 'CONFIRMED')
  await untilSays(readyz(), '"status":"ready"')
})

test('Final reorg', async () => {
  const id = await send('final')
  await until(id, 'CONFIRMED')
  // The rewound chain may have dropped final blocks too.
  const before = await sumOf(/^drover_final_reorgs_total/)
  await ground.chain.setBlockInterval(0)
  const { hash, inclusion } = await read(id)
  await ground.chain.reorg((await ground.chain.blockNumber()) - inclusion.blockNumber + 1)
  await ground.chain.setBlockInterval(1)
  await untilSum(/^drover_final_reorgs_total/, (count) => count > before)
  await prometheus.untilFired('DroverFinalReorg', 'final-reorg')
  await untilLogged(`"runbook":"${entry('final-reorg')}"`)
  const events = await eventually(
    () => run(['events']),
    (text) => text.split('\n').some((line) => line.includes('finality.broken') && line.includes(id)),
  )
  expect(events).toContain('gone=1')
  expect(await run(['tx', 'show', id])).toContain(hash)
  expect(await ground.chain.rpc('eth_getTransactionReceipt', [hash])).toBeNull()
  // Sent before the nonce was put right: the one that is gone blocks it.
  const blocked = await send('final')
  await untilSays(() => run(['tx', 'explain', blocked]), entry('final-reorg'))
  await run(['signer', 'policy', addressOf('final'), '--may-replace', 'automatic'])
  await until(blocked, 'CONFIRMED')
})

test('Held by rule', async () => {
  const signer = addressOf('held')
  await run(['signer', 'pause', signer, ...why])
  const [held, cancelled] = [await send('held'), await send('held')]
  await run(['rules', 'set', signer, await store({ targets: [{ to: addressOf('away') }] })])
  await run(['signer', 'resume', signer, ...why])
  await until(held, 'held_by_rule')
  const said = await run(['tx', 'explain', held])
  expect(said).toContain('allowed targets')
  expect(said).toContain(entry('held-by-rule'))
  expect(await run(['rules', 'show', signer])).toContain(addressOf('away'))
  await run(['tx', 'cancel', cancelled, ...why])
  await run(['rules', 'set', signer, await store({ count: { perDay: 100 } })])
  await until(held, 'CONFIRMED')
  expect(await read(cancelled)).toMatchObject({ state: 'CANCELLED' })
})

test('Awaiting approval', async () => {
  const created = await runOnHost('key', 'create', '--name', 'ann', '--scope', 'read,approve', '--json')
  const ann = { key: JSON.parse(created.said).token as string }
  const signer = addressOf('approved')
  await run(['rules', 'set', signer, await store({ approval: { above: '100', of: 1, keys: ['ann'] } })])
  const [good, bad] = [await send('approved', { value: '200' }), await send('approved', { value: '300' })]
  const listed = await run(['tx', 'list', '--awaiting-approval'])
  for (const id of [good, bad]) expect(listed).toContain(id)
  const said = await run(['tx', 'explain', good])
  expect(said).toContain('1 more approval from ann')
  expect(said).toContain(entry('awaiting-approval'))
  // The operator's own key is not one of them.
  expect(await run(['tx', 'approve', good, ...why], { code: 4 })).toContain('does not have the scope approve')
  await run(['tx', 'approve', good, ...why], ann)
  await run(['tx', 'reject', bad, ...why], ann)
  await until(good, 'CONFIRMED')
  expect(await read(bad)).toMatchObject({ state: 'CANCELLED' })
})

test('Queue full', async () => {
  const signer = addressOf('full')
  await run(['signer', 'pause', signer, ...why])
  // Half of what a signer may have queued is the share of one tenant.
  const ids = [await send('full'), await send('full')]
  const refused = await post('full')
  expect(refused).toMatchObject({ status: 429, body: { code: 'tenant_limit' } })
  await prometheus.untilFired('DroverQueueFull', 'queue-full')
  expect(await run(['signer', 'list'])).toMatch(new RegExp(`${signer}.* paused `))
  const listed = await run(['tx', 'list', '--from', signer, '--state', 'QUEUED', '--oldest-first'])
  expect(listed).toContain(ids[0])
  expect(await run(['tx', 'explain', ids[0] ?? ''])).toContain(`drover signer resume ${signer}`)
  await run(['signer', 'resume', signer, ...why])
  for (const id of ids) await until(id, 'CONFIRMED')
  // The queue is counted about once a second.
  const { body } = await eventually(
    () => post('full'),
    ({ status }) => status === 202,
  )
  await until(body.id, 'CONFIRMED')
})

test('Send endpoint away', async () => {
  const { host } = new URL(privately.url)
  privately.setDown(true)
  const id = await send('private')
  const said = await untilSays(() => run(['tx', 'explain', id]), 'send_endpoint_away')
  expect(said).toContain(entry('send-endpoint-away'))
  expect(await run(['chain', 'list'])).toMatch(new RegExp(`${host}\\s+failing\\s+private`))
  expect((await runOnHost('doctor')).said).toMatch(new RegExp(`✗ send endpoint ${host}`))
  await prometheus.untilFired('DroverRpcEndpointDown', 'rpc-endpoint')
  // To send elsewhere: `public` on every node, and a restart of each.
  settings = { ...settings, DROVER_RPC_SEND_URL: `${addressOf('private')}=public` }
  await restartAll()
  await until(id, 'CONFIRMED')
})

test('RPC endpoint: one of two does not follow the chain', async () => {
  const thaw = await freezeView(second, ground.chain)
  await prometheus.untilFired('DroverRpcEndpointBehind', 'rpc-endpoint')
  const { host } = new URL(second.url)
  await eventually(
    () => run(['chain', 'list']),
    (text) => new RegExp(`${host}\\s+lagging`).test(text),
  )
  await until(await send('wrong'), 'CONFIRMED')
  thaw()
  await eventually(
    () => run(['chain', 'list']),
    (text) => !text.includes('lagging'),
  )
})

test('RPC wrong chain', async () => {
  const other = await startTestChain({ chainId: 5 })
  try {
    second.setUpstream(other.rpcUrl)
    await prometheus.untilFired('DroverRpcWrongChain', 'rpc-wrong-chain')
    await untilLogged(`"runbook":"${entry('rpc-wrong-chain')}"`)
    expect(await untilSays(() => run(['chain', 'list']), 'wrong_chain')).toContain('serves chain 5, not 31337')
    await until(await send('wrong'), 'CONFIRMED')
    // Its URL is corrected, and every node restarted.
    const { DROVER_RPC_URL: before = '' } = settings
    settings = { ...settings, DROVER_RPC_URL: [first.url, privately.url].join(',') }
    privately.setDown(false)
    await restartAll()
    expect(await run(['chain', 'list'])).not.toContain('wrong_chain')
    settings = { ...settings, DROVER_RPC_URL: before }
    second.setUpstream(ground.chain.rpcUrl)
  } finally {
    await other.stop()
  }
})

test('Takeover: of a node that froze, and of one that died', async () => {
  const [here, other] = nodes
  const taken = `"takenFrom":"${other.nodeId}"`
  await untilRuns(other)
  other.signal('SIGSTOP')
  await untilSays(async () => here.output(), taken)
  expect(here.output()).toContain(`"runbook":"${entry('takeover')}"`)
  await prometheus.untilFired('DroverTakeover', 'takeover')
  other.signal('SIGCONT')
  // It still runs: its own log says that it was frozen.
  await untilSays(async () => other.output(), 'leases expired')
  await untilSays(() => run(['node', 'list']), other.nodeId)
  await untilRuns(other)
  const before = here.output().split(taken).length
  await other.end('SIGKILL')
  await eventually(
    async () => here.output().split(taken).length,
    (count) => count > before,
  )
  await eventually(
    () => run(['node', 'list']),
    (text) => !text.includes(other.nodeId),
  )
  // So it died: Node down.
  await untilSays(readyz(here), entry('node-down'))
  await prometheus.untilFired('DroverNodeSilent', 'node-down')
  await prometheus.untilFired('DroverDown', 'node-down')
  await untilLogged(`node ${other.nodeId} has not reported`)
  nodes = [here, await startNode()]
  await watchNodes()
  await until(await send('away'), 'CONFIRMED')
  // It has a new id; the old one is forgotten.
  await untilSays(readyz(here), '"status":"ready"')
})

test('Event loop', async () => {
  const [, other] = nodes
  // The processor is somebody else's for a while, again and again, until Prometheus has seen it.
  await eventually(
    async () => {
      other.signal('SIGSTOP')
      await delay(800)
      other.signal('SIGCONT')
      return await prometheus.hasFired('DroverEventLoopSlow', other.url)
    },
    Boolean,
    { everyMs: 800 },
  )
  await prometheus.untilFired('DroverEventLoopSlow', 'event-loop')
  // Others take their part. Signers go to nodes by rank, so a single new one might get none of these few.
  const more = [await startNode(), await startNode(), await startNode()]
  try {
    for (const { nodeId } of more) await untilSays(() => run(['node', 'list']), nodeId)
    await Promise.any(more.map(untilRuns))
  } finally {
    await Promise.all(more.map((node) => node.end()))
  }
  // One caller causes it: a new key of the same tenant with a limit, and the old one is revoked.
  const grant = ['--scope', 'read,send', '--json']
  const old = JSON.parse((await runOnHost('key', 'create', '--name', 'shop', ...grant)).said)
  const limited = ['key', 'create', '--name', 'shop-2', '--tenant', 'shop', ...grant, '--rate', '10']
  const young = JSON.parse((await runOnHost(...limited)).said)
  expect((await runOnHost('key', 'list')).said).toMatch(/shop-2 .* shop /)
  expect((await runOnHost('key', 'revoke', old.id)).code).toBe(0)
  const ask = async (key: string) => (await fetch(`${nodes[0].url}/v1/signers`, { headers: bearer(key) })).status
  expect(await ask(old.token)).toBe(401)
  expect(await ask(young.token)).toBe(200)
})

/** One after the other, as an operator would. */
async function restartAll(): Promise<void> {
  for (const index of [0, 1] as const) {
    await nodes[index].end()
    nodes[index] = await startNode()
  }
  await watchNodes()
}

/** The node has lanes, by what it says itself. */
async function untilRuns({ nodeId, request }: DroverProcess): Promise<void> {
  await eventually(
    async () => (await request('GET', '/v1/nodes', undefined, withKey())).body.items,
    (items) => items.some(({ id, lanes }: { id: string; lanes: number }) => id === nodeId && lanes > 0),
  )
}
