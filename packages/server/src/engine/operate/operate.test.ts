import { describe, expect, test } from 'vitest'
import type { ChainView, Finality, Header } from '../../core/chain/finality.ts'
import type { NonceUser } from '../../core/lane/nonce-user.ts'
import type { Transaction } from '../../core/transaction/transaction.ts'
import { type Chain, ChainUnavailable, type ReceiptLookup } from '../../ports/chain.ts'
import type { NonceMark, TxSave } from '../../ports/lane-write.ts'
import { createFakeChain } from '../../testing/chain/fake-chain.ts'
import {
  deferred,
  finished,
  hashOf,
  inclusionIn,
  NONCE,
  proofOf,
  queued,
  stuck,
  T0,
  tracking,
} from '../../testing/core/sample-transactions.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createOperate } from './operate.ts'

const NOW = T0 + 20_000
const FOREIGN = hashOf(0xf0)
const BY = { actor: 'api', reason: 'customer asked' }
const { chainId, signer } = queued().intent.lane

interface SetUp {
  /** What the store has at each read; the last one stays. */
  readonly versions: readonly [Transaction, ...Transaction[]]
  readonly stale?: number
  readonly user?: Partial<NonceUser> | null
  readonly lookup?: ReceiptLookup
  readonly head?: number
  readonly windowFrom?: number
  readonly finality?: Finality
  readonly finalized?: number | null
  readonly chain?: Partial<Chain>
}

function headerAt(number: number): Header {
  return { number, hash: hashOf(0xb000 + number), parentHash: hashOf(0xb000 + number - 1), timestamp: number }
}

/** A store that keeps what it is given, a chain with one foreign transaction in block 100, and a view of it. */
function setUp(options: SetUp) {
  const saves: { readonly save: TxSave; readonly nonces: readonly NonceMark[] }[] = []
  let reads = 0
  let stale = options.stale ?? 0
  const head = options.head ?? 103
  const view: ChainView = {
    head: headerAt(head),
    safe: null,
    finalized: options.finalized ?? null,
    header: (number) => (number >= (options.windowFrom ?? 0) && number <= head ? headerAt(number) : null),
  }
  const lookup: ReceiptLookup = options.lookup ?? {
    type: 'found',
    inclusion: inclusionIn(100, { txHash: FOREIGN }),
  }
  const chain: Chain = {
    ...createFakeChain({ chainId }),
    findNonceUser: async (height) => {
      if (options.user === null || height !== 100) return null
      const { inclusion } = lookup.type === 'found' ? lookup : { inclusion: inclusionIn(100, { txHash: FOREIGN }) }
      return proofOf({ inclusion, ...options.user }).user
    },
    getTransactionCount: async (_, height) => (typeof height === 'number' && height < 100 ? NONCE : NONCE + 1),
    findReceipts: async () => [lookup],
    getBlock: async (ref) => (typeof ref === 'number' ? { ...headerAt(ref), txHashes: [] } : null),
    ...options.chain,
  }
  const telemetry = createRecordingTelemetry()
  const operate = createOperate({
    store: {
      findTransaction: async (id) => {
        const tx = options.versions[reads] ?? options.versions.at(-1) ?? null
        reads += 1
        return tx?.id === id ? tx : null
      },
      amend: async (save, nonces) => {
        if (stale-- > 0) return { type: 'stale' }
        saves.push({ save, nonces })
        return { type: 'written', version: save.before.version + 1 }
      },
    },
    chains: new Map([[chainId, chain]]),
    clock: { now: () => NOW, monotonic: () => 0, schedule: () => () => {} },
    telemetry,
    policyOf: () => null,
    finalityOf: () => options.finality ?? { type: 'confirmations', count: 3 },
    viewOf: () => view,
  })
  return { operate, saves }
}

describe('what is allowed is stored, with who and why', () => {
  test.each([
    ['suspend', queued(), 'operator.suspended', { state: 'QUEUED', suspended: true, subState: 'suspended' }],
    ['suspend', tracking('pending'), 'operator.suspended', { state: 'TRACKING', suspended: true }],
    ['resume', queued({ suspended: true, subState: 'suspended' }), 'operator.resumed', { suspended: false }],
    ['retry', deferred('waiting_for_funds'), 'operator.retried', { state: 'QUEUED', retryAt: null, error: null }],
    ['retry', stuck('no_inclusion'), 'operator.retried', { state: 'TRACKING', nextResubmitAt: NOW, waitingSince: NOW }],
    ['cancel', queued(), 'operator.cancelled', { state: 'CANCELLED', nonce: null, finalAt: NOW }],
  ] as const)('%s of %o', async (action, tx, type, after) => {
    const { operate, saves } = setUp({ versions: [tx] })
    const result = await operate(tx.id, { action, ...BY })
    expect(result).toMatchObject({ ...after, version: tx.version + 1 })
    const { version, state, attempts } = tx
    expect(saves).toMatchObject([
      {
        save: {
          before: { version, state, attemptCount: attempts.length },
          notes: [{ type, cause: 'operator', detail: BY }],
        },
        nonces: [],
      },
    ])
  })
})

describe('what is not allowed', () => {
  test('says why, and stores nothing', async () => {
    const tx = finished('CONFIRMED')
    const { operate, saves } = setUp({ versions: [tx] })
    await expect(operate(tx.id, { action: 'suspend', ...BY })).rejects.toMatchObject({
      code: 'action_forbidden',
      message: expect.stringContaining('CONFIRMED'),
      details: { state: 'CONFIRMED', action: 'suspend' },
    })
    expect(saves).toEqual([])
  })

  test('an unknown signer gets the careful policy', async () => {
    const tx = tracking('pending')
    const { operate } = setUp({ versions: [tx] })
    await expect(operate(tx.id, { action: 'cancel', ...BY })).rejects.toThrow('policy forbids')
  })

  test('a transaction that is not there', async () => {
    const { operate } = setUp({ versions: [queued()] })
    await expect(operate('tx-9', { action: 'suspend', ...BY })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a transaction that changes in between', () => {
  test('is read again, and decided again', async () => {
    const { operate, saves } = setUp({ versions: [queued(), queued({ version: 5 })], stale: 1 })
    expect(await operate('tx-1', { action: 'suspend', ...BY })).toMatchObject({ version: 6 })
    expect(saves).toHaveLength(1)
  })

  test('may have become one that forbids the action', async () => {
    const { operate, saves } = setUp({ versions: [queued(), tracking('pending')], stale: 1 })
    await expect(operate('tx-1', { action: 'cancel', ...BY })).rejects.toMatchObject({ code: 'action_forbidden' })
    expect(saves).toEqual([])
  })

  test('is given up after a few looks', async () => {
    const { operate } = setUp({ versions: [queued()], stale: 100 })
    await expect(operate('tx-1', { action: 'suspend', ...BY })).rejects.toThrow('changing too fast')
  })
})

describe('resolve', () => {
  const tx = stuck('foreign_nonce')
  const resolve = { action: 'resolve', hash: FOREIGN, ...BY } as const

  test('binds to the final transaction of the same account and nonce, and marks the nonce as used', async () => {
    const { operate, saves } = setUp({ versions: [tx] })
    const result = await operate(tx.id, resolve)
    expect(result).toMatchObject({
      state: 'CONFIRMED',
      subState: 'resolved',
      inclusion: { txHash: FOREIGN },
      confirmations: [101, 102, 103].map((number) => ({ blockNumber: number, blockHash: headerAt(number).hash })),
    })
    expect(saves[0]?.nonces).toEqual([{ nonce: NONCE, status: 'USED', txId: tx.id }])
    expect(saves[0]?.save.notes).toMatchObject([{ type: 'operator.resolved', detail: { ...BY, hash: FOREIGN } }])
  })

  test('one that reverted ends it as failed', async () => {
    const lookup = { type: 'found', inclusion: inclusionIn(100, { txHash: FOREIGN, succeeded: false }) } as const
    const { operate } = setUp({ versions: [tx], lookup })
    expect(await operate(tx.id, resolve)).toMatchObject({ state: 'FAILED_FINAL', error: { code: 'reverted' } })
  })

  test('a block below the window counts if the chain still has it', async () => {
    const { operate } = setUp({ versions: [tx], head: 500, windowFrom: 400 })
    expect(await operate(tx.id, resolve)).toMatchObject({ state: 'CONFIRMED', inclusion: { blockNumber: 100 } })
  })

  test.each<[string, Partial<SetUp>, RegExp]>([
    ['another nonce, or another account', { user: null }, new RegExp(`did not use nonce 7 of ${signer}`)],
    ['another one in the same block', { user: { inclusion: inclusionIn(100, { txHash: hashOf(8) }) } }, /0{3}8 did/],
    ['it is in no block', { lookup: { type: 'missing' } }, /is not mined/],
    ['it pays somebody else', { user: { to: `0x${'99'.repeat(20)}` } }, /sends 5 wei to 0x9999.*Requeue or close/],
    ['it pays another amount', { user: { value: 4n } }, /sends 4 wei.*Requeue or close/],
    ['it is older than the request', { user: { minedAt: 0 } }, /which Drover did not sign.*older than the request/],
    ['it carries other data', { user: { data: '0x1234' } }, /with 2 bytes of data.*Requeue or close/],
    ['too few confirmations', { head: 102 }, /not final yet/],
    ['a block above our head', { head: 99 }, /not final yet/],
    [
      'a block that left the chain',
      { lookup: { type: 'found', inclusion: inclusionIn(100, { blockHash: hashOf(9) }) } },
      /not final/,
    ],
    [
      'below the window, but another block is there now',
      {
        head: 500,
        windowFrom: 400,
        chain: { getBlock: async () => ({ ...headerAt(100), hash: hashOf(9), txHashes: [] }) },
      },
      /not final/,
    ],
    [
      'below the window, but not finalized',
      { head: 120, windowFrom: 112, finality: { type: 'finalized' }, finalized: 64 },
      /not final/,
    ],
    ['no tag is known', { finality: { type: 'safe' } }, /not final/],
  ])('refused: %s', async (_, options, why) => {
    const { operate, saves } = setUp({ versions: [tx], ...options })
    const refused = await operate(tx.id, resolve).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'action_forbidden', details: { field: 'hash', action: 'resolve' } })
    expect(refused).toMatchObject({ message: expect.stringMatching(why) })
    expect(saves).toEqual([])
  })

  test('the rule that the transaction asked for is the one that counts', async () => {
    const strict = { ...tx, intent: { ...tx.intent, finality: { type: 'confirmations', count: 10 } as const } }
    await expect(setUp({ versions: [strict] }).operate(tx.id, resolve)).rejects.toThrow('not final yet')
    expect(await setUp({ versions: [strict], head: 110 }).operate(tx.id, resolve)).toMatchObject({ state: 'CONFIRMED' })
  })

  test.each<[string, Partial<SetUp>]>([
    ['the transaction', { chain: { findNonceUser: () => Promise.reject(new ChainUnavailable('down')) } }],
    ['the receipt', { lookup: { type: 'failed', message: 'busy' } }],
  ])('a node that cannot be asked for %s proves nothing either way', async (_, options) => {
    const { operate, saves } = setUp({ versions: [tx], ...options })
    await expect(operate(tx.id, resolve)).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect(saves).toEqual([])
  })
})

describe('without a hash', () => {
  const tx = stuck('foreign_nonce')
  const other = { user: { value: 4n } } as const

  test('resolve finds what used the nonce by itself', async () => {
    const { operate } = setUp({ versions: [tx] })
    expect(await operate(tx.id, { action: 'resolve', ...BY })).toMatchObject({
      state: 'CONFIRMED',
      subState: 'resolved',
      inclusion: { txHash: FOREIGN },
    })
  })

  test.each([
    ['requeue', { state: 'QUEUED', subState: 'accepted' }],
    ['close', { state: 'CANCELLED', subState: 'replaced', nonce: null, error: { code: 'replaced' } }],
  ] as const)('%s of what did something else', async (action, after) => {
    const { operate, saves } = setUp({ versions: [tx], ...other })
    expect(await operate(tx.id, { action, ...BY })).toMatchObject(after)
    expect(saves[0]?.nonces).toMatchObject([{ nonce: NONCE, status: 'USED' }])
    expect(saves[0]?.save.notes).toMatchObject([{ cause: 'operator', detail: { ...BY, hash: FOREIGN } }])
  })

  test.each(['requeue', 'close'] as const)('%s is refused where the work was done', async (action) => {
    const { operate, saves } = setUp({ versions: [tx] })
    await expect(operate(tx.id, { action, ...BY })).rejects.toMatchObject({
      code: 'action_forbidden',
      message: expect.stringContaining('Resolve it'),
    })
    expect(saves).toEqual([])
  })

  test.each(['resolve', 'requeue', 'close'] as const)('%s waits for finality, and for proof', async (action) => {
    const waiting = setUp({ versions: [tx], ...other, head: 102 })
    await expect(waiting.operate(tx.id, { action, ...BY })).rejects.toThrow('not final yet')
    const unproved = setUp({
      versions: [tx],
      chain: { findNonceUser: () => Promise.reject(new ChainUnavailable('down')) },
    })
    await expect(unproved.operate(tx.id, { action, ...BY })).rejects.toMatchObject({ code: 'chain_unavailable' })
    expect([...waiting.saves, ...unproved.saves]).toEqual([])
  })
})
