/** Several real nodes on one real database and chain, with what tests need to load them and to check the outcome. */
import { developmentAccount, type TestChain } from './anvil.ts'
import type { TestDatabase } from './database.ts'
import { type DroverProcess, startDrover } from './drover-process.ts'
import { eventually } from './eventually.ts'
import { startGround } from './ground.ts'

export interface ClusterOptions {
  readonly nodes: number
  readonly lanes: number
  readonly blockTimeSeconds?: number
  readonly env?: Record<string, string>
  /** The RPC URL of a node, instead of the chain itself; called once per start of a node. */
  readonly rpcUrlFor?: (chain: TestChain) => Promise<string>
}

export interface Cluster {
  readonly chain: TestChain
  readonly database: TestDatabase
  readonly signers: readonly { readonly address: string; readonly privateKey: string }[]
  /** Running nodes; a killed one is null until it is started again. */
  readonly nodes: (DroverProcess | null)[]
  startNode(index: number): Promise<DroverProcess>
  killNode(index: number, signal?: NodeJS.Signals): Promise<void>
  /** The running nodes, in rotation. */
  anyNode(): DroverProcess
  /** Index of the running node that holds the most lanes. */
  busiest(): Promise<number>
  /** Posts until a node answers; if one dies in between, asks another with the same request id. */
  send(intent: Record<string, unknown> & { readonly requestId: string }): Promise<string>
  stop(): Promise<void>
}

/** Short leases, so that takeovers happen within seconds. */
const FAST_LEASES = { DROVER_LEASE_DURATION: '3s', DROVER_LEASE_RENEW_INTERVAL: '700ms' }

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const ground = await startGround({ accounts: options.lanes + 1, blockTimeSeconds: options.blockTimeSeconds ?? 1 })
  const { chain, database } = ground
  const signers = Array.from({ length: options.lanes }, (_, index) => developmentAccount(index))
  const nodes: (DroverProcess | null)[] = Array.from({ length: options.nodes }, () => null)

  async function startNode(index: number): Promise<DroverProcess> {
    const node = await startDrover({
      databaseUrl: database.url,
      rpcUrl: (await options.rpcUrlFor?.(chain)) ?? chain.rpcUrl,
      signerKeys: signers.map(({ privateKey }) => privateKey),
      env: { ...FAST_LEASES, DROVER_FINALITY: '2', DROVER_SIGNER_POLICY: 'fast', ...options.env },
    })
    nodes[index] = node
    return node
  }

  let turn = 0
  function anyNode(): DroverProcess {
    const running = nodes.filter((node) => node !== null)
    const node = running[turn++ % running.length]
    if (node === undefined) throw new Error('no node runs')
    return node
  }

  await Promise.all(nodes.map((_, index) => startNode(index)))
  return {
    chain,
    database,
    signers,
    nodes,
    startNode,
    anyNode,
    killNode: async (index, signal = 'SIGKILL') => {
      const node = nodes[index]
      nodes[index] = null
      await node?.end(signal)
    },
    busiest: async () => {
      const { items } = (await anyNode().get('/v1/signers')).body as { items: { lease: { node: string } | null }[] }
      const lanesOf = (nodeId: string | undefined) => items.filter(({ lease }) => lease?.node === nodeId).length
      const counts = nodes.map((node) => (node === null ? -1 : lanesOf(node.nodeId)))
      return counts.indexOf(Math.max(...counts))
    },
    send: async (intent) => {
      const answer = await eventually(
        () =>
          anyNode()
            .post('/v1/transactions', intent)
            .catch((error: unknown) => ({ status: 0, body: String(error) })),
        ({ status }) => status === 202 || status === 200,
        { timeoutMs: 60_000 },
      )
      return answer.body.id
    },
    stop: async () => {
      await Promise.all(nodes.map((node) => node?.end('SIGKILL')))
      await ground.stop()
    },
  }
}

export interface MinedTransaction {
  readonly hash: string
  readonly from: string
  readonly nonce: number
  readonly blockNumber: number
}

/** Every transaction on the canonical chain, read block by block. */
export async function readChain(chain: Pick<TestChain, 'rpc'>): Promise<readonly MinedTransaction[]> {
  const head = Number(await chain.rpc<string>('eth_blockNumber'))
  const mined: MinedTransaction[] = []
  for (let number = 0; number <= head; number++) {
    const block = await chain.rpc<{ transactions: { hash: string; from: string; nonce: string }[] }>(
      'eth_getBlockByNumber',
      [`0x${number.toString(16)}`, true],
    )
    for (const { hash, from, nonce } of block.transactions)
      mined.push({ hash, from, nonce: Number(nonce), blockNumber: number })
  }
  return mined
}

export interface StoredTransaction {
  readonly id: string
  readonly state: string
  readonly hash: string
  readonly from: string
  readonly nonce: number
}

export async function readAll(node: DroverProcess, filter = ''): Promise<readonly StoredTransaction[]> {
  const all = []
  for (let after = ''; ; ) {
    const { body } = await node.get(`/v1/transactions?limit=200${filter}${after}`)
    all.push(...body.items)
    if (body.next === null) return all
    after = `&after=${body.next}`
  }
}
