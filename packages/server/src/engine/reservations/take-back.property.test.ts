/**
 * A random walk of holders that go away, name transactions that nobody knows, or send them late, and of an operator that takes
 * nonces back whenever it likes. In the end no nonce is missing, nothing was mined twice, and nobody waits.
 */
import { expect, test } from 'vitest'
import { FAST, type Policy, STABLE } from '../../core/lane/policy.ts'
import { createDice } from '../../testing/engine/dice.ts'
import { createTestCluster, type TestNode } from '../../testing/engine/test-cluster.ts'
import { createReservations } from './reserve.ts'
import { createTakeBackNonces } from './take-back-nonces.ts'

const TIMES = { bumpAfterMs: 6_000, resubmitIntervalMs: 8_000, stuckAfterMs: 3_600_000 }
const POLICIES: readonly Policy[] = [
  { ...FAST, ...TIMES, maxInFlight: 8 },
  // Somebody else may use the nonce that was taken back: then it is sent again under another one.
  { ...STABLE, ...TIMES, maxInFlight: 4, onForeignNonce: 'requeue' },
]
const FIRST = Number(process.env.SEED ?? 1)
const COUNT = Number(process.env.SEEDS ?? 6)
const BY = { actor: 'ann', reason: 'drill' }
const GWEI = 10n ** 9n

interface Loan {
  readonly id: string
  readonly nonce: number
  readonly raw: `0x${string}`
  readonly hash: `0x${string}`
}

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
      let names = 0
      let node: TestNode = await cluster.startNode(`node-${++names}`)
      const txs: string[] = []
      const reserved: Loan[] = []

      async function order(action: 'release' | 'fill'): Promise<void> {
        const asked = takeBack(lane, { action, filter: {}, by: BY })
        asked.catch(() => {})
        await clock.advance(50)
        await asked.catch(() => {})
      }

      async function borrow(): Promise<void> {
        const request = { lane, count: 1 + dice(3), ttlMs: 4_000 + dice(20_000), label: null, requestId: null }
        const asked = reservations.reserve({ ...request, lockOwner: 'me' })
        asked.catch(() => {})
        await clock.advance(5_200)
        const reservedNonces = (await asked.catch(() => ({ reservations: [] }))).reservations
        for (const { id, nonce } of reservedNonces) {
          if (nonce === null) continue
          const fees = { type: 'eip1559', maxFeePerGas: 90n * GWEI, maxPriorityFeePerGas: 9n * GWEI } as const
          const call = { chainId: lane.chainId, nonce, to: lane.signer, data: '0x01', gasLimit: 22_000n, fees } as const
          const { raw, hash } = await signer.sign(lane.signer, { ...call, value: BigInt(dice(1_000_000)) })
          reserved.push({ id, nonce, raw, hash })
        }
      }

      for (let step = 0; step < 80; step++) {
        const act = dice(14)
        const reservation = reserved[dice(Math.max(1, reserved.length))]
        if (act < 4) txs.push(await cluster.submit())
        else if (act < 6) await borrow()
        else if (act < 8 && reservation)
          await reservations.act(reservation.id, 'me', { type: 'use', hash: reservation.hash }).catch(() => {})
        // Also without a word, and long after it was taken back.
        else if (act === 8 && reservation) await chain.broadcast([reservation])
        else if (act === 9) await order(dice(2) === 0 ? 'release' : 'fill')
        else if (act === 10) {
          node.kill()
          node = await cluster.startNode(`node-${++names}`)
        } else if (act === 11) chain.reorg(1, { length: 2, keep: dice(2) === 0 ? 'pooled' : 'included' })
        else if (act === 12)
          chain.setFault(({ name }) => (name !== 'onHeadHint' && dice(5) === 0 ? 'unavailable' : null))
        else if (act === 13) chain.setFault(null)
        await clock.advance(dice(2_000))
        if (dice(2) === 0) chain.mine()
        await clock.advance(dice(50))
      }
      chain.setFault(null)
      for (let round = 0; round < 200; round++) {
        await clock.advance(2_000)
        // One call, now and then, is all that it takes.
        if (round % 25 === 0) await order('release')
        chain.mine()
        await clock.advance(20)
      }
      reservations.close()
      const mined = await cluster.mined()
      expect(mined.map(({ nonce }) => nonce)).toEqual(mined.map((_, index) => index))
      const hashes = new Set(mined.map(({ hash }) => hash))
      for (const id of txs) {
        const tx = await cluster.find(id)
        expect([id, tx.state, tx.subState]).toEqual([id, 'CONFIRMED', 'final'])
        expect(tx.attempts.filter(({ hash }) => hashes.has(hash))).toHaveLength(1)
      }
      const open = (await store.readLaneRequests(lane)).reservations
      expect(open).toEqual([])
      for (const { id, hash } of reserved) {
        const [row] = await store.findReservations([id])
        if (row?.result === 'succeeded') expect(hashes.has(hash)).toBe(true)
      }
    })
