/** Engines on one memory store, one fake chain and one hand-moved clock: a whole cluster in a process, without time of its own. */
import { keccak256, parseTransaction, stringToHex } from 'viem'
import { onTestFinished } from 'vitest'
import type { Address, Hex } from '../../core/hex.ts'
import type { Lane } from '../../core/lane/lane.ts'
import { FAST, type Policy } from '../../core/lane/policy.ts'
import type { Intent, Transaction, TxId } from '../../core/transaction/transaction.ts'
import type { ChainSettings } from '../../engine/chain-unit.ts'
import { createEngine, type Engine, type EngineSettings } from '../../engine/engine.ts'
import type { Signer } from '../../ports/signer.ts'
import type { Store } from '../../ports/store.ts'
import { createLocalSigner } from '../../signer/local-signer.ts'
import { createFakeChain, type FakeChain, type FakeChainOptions } from '../chain/fake-chain.ts'
import { createMemoryStore } from '../store/memory-store.ts'
import { anyId, anyIntent } from '../store/samples.ts'
import { createRecordingTelemetry, type RecordingTelemetry } from '../telemetry/recording-telemetry.ts'
import type { Bytes } from './cheap-bytes.ts'
import { createFaultyStore, type FaultyStore } from './faulty-store.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'

export const CHAIN_ID = 31_337
export const QUICK: Policy = { ...FAST, externalUse: false, onForeignNonce: 'stuck' }

const CHAIN_SETTINGS: ChainSettings = {
  finality: { type: 'confirmations', count: 3 },
  headerWindow: 16,
  pollIntervalMs: 250,
  blockTimeMs: 12_000,
  standingAfterMs: null,
  staleReceiptTimeoutMs: 60_000,
  blockQueueLength: 50,
  receiptBatch: 100,
  receiptWorkers: 4,
  fetchReceiptUponEntry: false,
  maxTxFeeWei: 10n ** 18n,
  preconfirmations: false,
}

export const ENGINE_SETTINGS: EngineSettings = {
  keeper: { leaseTtlMs: 15_000, renewIntervalMs: 5_000, marginMs: 1_500 },
  writer: { writers: 2, lingerMs: 3, batchSize: 500 },
  prepareBatch: 50,
  prepareRetryMs: 1_000,
  sharePercent: 50,
  queuePollMs: 5_000,
  balanceIntervalMs: 60_000,
  shutdownTimeoutMs: 10_000,
}

export interface TestClusterOptions {
  readonly policy?: Policy
  readonly signers?: number
  readonly chain?: Partial<FakeChainOptions>
  readonly chainSettings?: Partial<ChainSettings>
  /** Other bytes than real ones, for tests that sign very many. */
  readonly bytes?: Bytes
}

export interface TestNode {
  readonly engine: Engine
  readonly telemetry: RecordingTelemetry
  /** This node's own way to the store. */
  readonly store: FaultyStore
  /** Gone without a word: nothing it still tries reaches the store or the chain. */
  kill(): void
}

export interface TestCluster {
  readonly clock: ManualClock
  readonly chain: FakeChain
  readonly store: Store
  readonly signer: Signer
  readonly lanes: readonly Lane[]
  readonly lane: Lane
  startNode(nodeId?: string, settings?: Partial<ChainSettings>): Promise<TestNode>
  submit(over?: Partial<Intent>, lane?: Lane): Promise<TxId>
  find(id: TxId): Promise<Transaction>
  /** Blocks, each with time for the engines to see it. */
  mine(blocks?: number): Promise<void>
  /** Every byte string that reached the chain's door, in order. */
  readonly sent: readonly { readonly nodeId: string; readonly hash: Hex; readonly batch: number }[]
  /** Mined transactions of the canonical chain. */
  mined(): Promise<readonly { readonly hash: Hex; readonly from: Address; readonly nonce: number }[]>
  /** Uses the key behind Drover's back. */
  sendForeign(nonce: number, lane?: Lane): Promise<void>
}

export function keyOf(index: number): Hex {
  return keccak256(stringToHex(`test key ${index}`))
}

/** Signing tells who signed, so that bytes need not be recovered, which costs a millisecond each. */
function createKnownBytes(signer: Signer) {
  const senders = new Map<Hex, Address>()
  const recording: Signer = {
    addresses: signer.addresses,
    async sign(address, transaction) {
      const signed = await signer.sign(address, transaction)
      senders.set(signed.raw, address)
      return signed
    },
  }
  const decode: NonNullable<FakeChainOptions['decode']> = (raw) => {
    const from = senders.get(raw)
    if (from === undefined) throw new Error('bytes that nobody signed')
    const parsed = parseTransaction(raw)
    if (parsed.type !== 'eip1559') throw new Error('not an EIP-1559 transaction')
    return {
      hash: keccak256(raw),
      raw,
      from,
      chainId: parsed.chainId,
      nonce: parsed.nonce ?? 0,
      to: (parsed.to?.toLowerCase() ?? null) as Address | null,
      data: parsed.data ?? '0x',
      value: parsed.value ?? 0n,
      gasLimit: parsed.gas ?? 0n,
      fees: {
        type: 'eip1559',
        maxFeePerGas: parsed.maxFeePerGas ?? 0n,
        maxPriorityFeePerGas: parsed.maxPriorityFeePerGas ?? 0n,
      },
    }
  }
  return { signer: recording, decode }
}

export async function createTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const clock = createManualClock()
  const keys = Array.from({ length: options.signers ?? 1 }, (_, index) => keyOf(index))
  const { signer, decode } = options.bytes ?? createKnownBytes(createLocalSigner(keys))
  const balances = Object.fromEntries(signer.addresses().map((address) => [address, 10n ** 21n]))
  // Ahead of the clock: nothing that is mined counts as older than what was sent before.
  const genesisTime = Date.UTC(2031, 0, 1) / 1_000
  const chain = createFakeChain({ chainId: CHAIN_ID, balances, decode, genesisTime, ...options.chain })
  const shared = createMemoryStore({ clock })
  const lanes = signer.addresses().map((address) => ({ chainId: CHAIN_ID, signer: address }))
  const lane = lanes[0]
  if (lane === undefined) throw new Error('a cluster needs a signer')
  await shared.registerSigners(lanes.map((each) => ({ lane: each, policy: options.policy ?? QUICK, label: null })))
  const sent: { nodeId: string; hash: Hex; batch: number }[] = []
  let batches = 0
  for (let block = 0; block < 3; block++) chain.mine()

  async function startNode(nodeId = 'node-a', settings: Partial<ChainSettings> = {}): Promise<TestNode> {
    const state = { dead: false }
    const store = createFaultyStore(shared)
    const own: FakeChain = {
      ...chain,
      broadcast: async (raws) => {
        if (state.dead) return raws.map(() => ({ type: 'ambiguous', message: 'dead' }))
        batches++
        for (const { hash } of raws) sent.push({ nodeId, hash, batch: batches })
        return chain.broadcast(raws)
      },
    }
    const telemetry = createRecordingTelemetry()
    const engine = createEngine({
      random: { id: anyId },
      store,
      signer,
      clock,
      telemetry,
      nodeId,
      address: null,
      settings: ENGINE_SETTINGS,
      chains: [{ chain: own, settings: { ...CHAIN_SETTINGS, ...options.chainSettings, ...settings } }],
      onDatabaseTime: () => {},
      onStuck: () => {},
    })
    const kill = () => {
      state.dead = true
      store.setFault(() => 'unavailable')
    }
    onTestFinished(async () => {
      if (state.dead) return
      const stopping = engine.stop()
      await clock.advance(60_000)
      await stopping
    })
    await engine.start()
    await clock.advance(100)
    return { engine, telemetry, store, kill }
  }

  async function mined() {
    const head = await chain.getBlock('latest')
    const found: { hash: Hex; from: Address; nonce: number }[] = []
    for (let number = 0; number <= (head?.number ?? 0); number++) {
      for (const hash of (await chain.getBlock(number))?.txHashes ?? []) {
        const tx = await chain.findTransaction(hash)
        if (tx !== null) found.push(tx)
      }
    }
    return found
  }

  return {
    clock,
    chain,
    store: shared,
    signer,
    lanes,
    lane,
    startNode,
    async submit(over = {}, of = lane) {
      const [outcome] = await shared.insertTransactions([{ id: anyId(), intent: anyIntent(of, over) }])
      if (outcome?.type !== 'inserted') throw new Error(`expected an insert, got ${outcome?.type}`)
      return outcome.transaction.id
    },
    async find(id) {
      const tx = await shared.findTransaction(id)
      if (tx === null) throw new Error(`no transaction ${id}`)
      return tx
    },
    async mine(blocks = 1) {
      for (let count = 0; count < blocks; count++) {
        chain.mine()
        await clock.advance(20)
      }
    },
    sent,
    mined,
    async sendForeign(nonce, of = lane) {
      const fees = { type: 'eip1559', maxFeePerGas: 50n * 10n ** 9n, maxPriorityFeePerGas: 9n * 10n ** 9n } as const
      const foreign = { chainId: CHAIN_ID, nonce, to: null, data: '0x00', value: 0n, gasLimit: 100_000n, fees } as const
      const { raw, hash } = await signer.sign(of.signer, foreign)
      const [outcome] = await chain.broadcast([{ raw, hash }])
      if (outcome?.type !== 'accepted') throw new Error(`the foreign transaction was not taken: ${outcome?.type}`)
    },
  }
}
