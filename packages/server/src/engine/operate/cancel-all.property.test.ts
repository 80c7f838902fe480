/**
 * A random walk of operators that cancel one or all, take nonces back, requeue and close, while somebody else uses the key,
 * holders come late, owners die, answers are lost and blocks leave the chain. In the end every order is answered, no nonce is
 * missing, nothing was executed twice, and nothing that was given up was executed.
 */
import { expect, test } from 'vitest'
import type { ChainView, Header } from '../../core/chain/finality.ts'
import { FAST, type Policy, STABLE } from '../../core/lane/policy.ts'
import { inclusionOf, isInFlight } from '../../core/transaction/transaction.ts'
import { createDice } from '../../testing/engine/dice.ts'
import { createTestCluster, type TestNode } from '../../testing/engine/test-cluster.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createFillGaps } from '../gaps/fill-gaps.ts'
import { createReservations } from '../reservations/reserve.ts'
import { createTakeBackNonces } from '../reservations/take-back-nonces.ts'
import { createOperate, type OperatorRequest } from './operate.ts'

const TIMES = { bumpAfterMs: 6_000, resubmitIntervalMs: 8_000, stuckAfterMs: 3_600_000 }
const POLICIES: readonly Policy[] = [
  { ...FAST, ...TIMES, maxInFlight: 8, onForeignNonce: 'stuck' },
  { ...STABLE, ...TIMES, maxInFlight: 4 },
]
const FIRST = Number(process.env.SEED ?? 1)
const COUNT = Number(process.env.SEEDS ?? 4)
const BY = { actor: 'ann', reason: 'drill' }
const GWEI = 10n ** 9n
/** Few, so that several requests ask for the very same payment. */
const RECEIVERS = ['a1', 'a2', 'a3'].map((byte) => `0x${byte.repeat(20)}` as const)
const FINALITY = { type: 'confirmations', count: 3 } as const

for (const policy of POLICIES)
  for (let seed = FIRST; seed < FIRST + COUNT; seed++)
    test(`${policy.preset}, seed ${seed}`, async () => {
      const dice = createDice(seed)
      const cluster = await createTestCluster({ policy, chainSettings: { staleReceiptTimeoutMs: 4_000 } })
      const { store, clock, lane, chain, signer } = cluster
      const chains = new Map([[lane.chainId, chain]])
      let ids = 0
      const random = { id: () => `01890a5d-0000-7000-8000-${(++ids).toString().padStart(12, '0')}` }
      const reservations = createReservations({ store, clock, random, chains })
      const takeBack = createTakeBackNonces({ store, chains })
      const fillGaps = createFillGaps({ store, clock, random })
      let view: ChainView | null = null
      const operate = createOperate({
        store,
        chains,
        clock,
        telemetry: createRecordingTelemetry(),
        policyOf: () => policy,
        finalityOf: () => FINALITY,
        viewOf: () => view,
      })
      let names = 0
      let node: TestNode = await cluster.startNode(`node-${++names}`)
      const txs: string[] = []
      const reserved: { id: string; raw: `0x${string}`; hash: `0x${string}` }[] = []
      const resets: string[] = []

      async function look(): Promise<void> {
        const headers = new Map<number, Header>()
        const head = chain.head()
        for (let number = Math.max(0, head.number - 20); number <= head.number; number++) {
          const block = await chain.getBlock(number)
          if (block !== null) headers.set(number, block)
        }
        view = { head, safe: null, finalized: null, header: (number) => headers.get(number) ?? null }
      }

      async function settle<T>(asked: Promise<T>, ms = 50): Promise<T | null> {
        const quiet = asked.catch(() => null)
        await clock.advance(ms)
        return await quiet
      }

      const order = (action: 'release' | 'fill') => settle(takeBack(lane, { action, filter: {}, by: BY }))

      async function sign(nonce: number, to: `0x${string}`, value: bigint, data: '0x' | '0x01') {
        const fees = { type: 'eip1559', maxFeePerGas: 90n * GWEI, maxPriorityFeePerGas: 9n * GWEI } as const
        return await signer.sign(lane.signer, {
          chainId: lane.chainId,
          nonce,
          to,
          data,
          value,
          gasLimit: 50_000n,
          fees,
        })
      }

      async function borrow(): Promise<void> {
        const request = { lane, count: 1 + dice(2), ttlMs: 4_000 + dice(20_000), label: null, requestId: null }
        const asked = await settle(reservations.reserve({ ...request, lockOwner: 'me' }), 5_200)
        for (const { id, nonce } of asked?.reservations ?? []) {
          if (nonce !== null)
            reserved.push({ id, ...(await sign(nonce, lane.signer, BigInt(dice(1_000_000)), '0x01')) })
        }
      }

      /** Somebody else uses a nonce of ours, for the same call or for another. */
      async function intrude(): Promise<void> {
        const mine = (await Promise.all(txs.map(cluster.find))).filter(isInFlight)
        const tx = mine[dice(Math.max(1, mine.length))]
        if (tx?.intent.to == null) return
        const isSame = dice(2) === 0
        const bytes = await sign(
          tx.nonce,
          isSame ? tx.intent.to : lane.signer,
          isSame ? 1n : 2n,
          isSame ? '0x' : '0x01',
        )
        await chain.broadcast([bytes])
      }

      async function act(action: OperatorRequest['action']): Promise<void> {
        const id = txs[dice(Math.max(1, txs.length))]
        await look().catch(() => {})
        if (id !== undefined) await settle(operate(id, { ...BY, action }))
      }

      async function decideLost(): Promise<void> {
        await look()
        for (const id of txs) {
          const tx = await cluster.find(id)
          if (tx.state !== 'STUCK') continue
          await settle(operate(id, { ...BY, action: dice(2) === 0 ? 'requeue' : 'close' }))
          await settle(operate(id, { ...BY, action: 'resolve' }))
        }
      }

      async function cancelAll(): Promise<void> {
        const id = random.id()
        await store.insertReset({ id, lane, ...BY, cancelsFirst: dice(4) > 0 })
        resets.push(id)
      }

      for (let step = 0; step < 90; step++) {
        const chosen = dice(20)
        const reservation = reserved[dice(Math.max(1, reserved.length))]
        if (chosen < 5) txs.push(await cluster.submit({ to: RECEIVERS[dice(RECEIVERS.length)] ?? null }))
        else if (chosen === 5) await borrow()
        else if (chosen === 6 && reservation)
          await reservations.act(reservation.id, 'me', { type: 'use', hash: reservation.hash }).catch(() => {})
        else if (chosen === 7 && reservation) await chain.broadcast([reservation])
        else if (chosen === 8) await order(dice(2) === 0 ? 'release' : 'fill')
        else if (chosen === 9) {
          node.kill()
          node = await cluster.startNode(`node-${++names}`)
        } else if (chosen === 10) chain.reorg(1, { length: 2, keep: dice(2) === 0 ? 'pooled' : 'included' })
        else if (chosen === 11)
          chain.setFault(({ name }) => (name !== 'onHeadHint' && dice(5) === 0 ? 'unavailable' : null))
        else if (chosen === 12) chain.setFault(null)
        else if (chosen < 15) await cancelAll()
        else if (chosen === 15) await intrude()
        else if (chosen === 16) await act('cancel')
        else if (chosen === 17) await act(dice(2) === 0 ? 'requeue' : 'close')
        else if (chosen === 18)
          node.store.setFault((call) => (call === 'writeLanes' && dice(4) === 0 ? 'answer_lost' : null))
        else node.store.setFault(null)
        await clock.advance(dice(2_000))
        if (dice(2) === 0) chain.mine()
        await clock.advance(dice(50))
      }
      chain.setFault(null)
      node.store.setFault(null)
      for (let round = 0; round < 220; round++) {
        await clock.advance(2_000)
        if (round % 25 === 0) await order('release')
        if (round % 20 === 10) await decideLost()
        // A stable signer fills no gap by itself.
        if (round % 20 === 15) await settle(fillGaps(lane, BY))
        chain.mine()
        await clock.advance(20)
      }
      reservations.close()
      const mined = await cluster.mined()
      expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, index) => index))
      const receivers: (string | null)[] = []
      for (let number = 0; number <= chain.head().number; number++) {
        for (const { nonce } of mined) {
          const user = await chain.findNonceUser(number, lane.signer, nonce)
          if (user !== null) receivers.push(user.to)
        }
      }
      const ended = await Promise.all(txs.map(cluster.find))
      for (const { id, state } of ended)
        expect([id, state]).toEqual([id, expect.stringMatching(/^(CONFIRMED|CANCELLED)$/)])
      // Each payment that was made belongs to one request, and the other way round.
      const confirmed = ended.filter(({ state }) => state === 'CONFIRMED')
      for (const to of RECEIVERS)
        expect(receivers.filter((each) => each === to)).toHaveLength(
          confirmed.filter(({ intent }) => intent.to === to).length,
        )
      const proofs = confirmed.map((tx) => inclusionOf(tx)?.txHash)
      expect(new Set(proofs).size).toBe(proofs.length)
      for (const id of resets)
        expect(await store.findReset(id)).toMatchObject({ state: expect.stringMatching(/^(DONE|REFUSED)$/) })
      expect((await store.readLaneRequests(lane)).reservations).toEqual([])
    })
