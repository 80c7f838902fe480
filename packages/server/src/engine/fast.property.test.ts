/** A random walk over the fast preset: reservations, foreign use, crashes, reorganisations, fee spikes. Nothing doubled, nothing lost. */
import { expect, test } from 'vitest'
import { FAST, type Policy } from '../core/lane/policy.ts'
import { transition } from '../core/transaction/transition.ts'
import { createDice } from '../testing/engine/dice.ts'
import { createTestCluster, type TestNode } from '../testing/engine/test-cluster.ts'
import { createReservations } from './reservations/reserve.ts'

const GWEI = 10n ** 9n
const POLICY: Policy = {
  ...FAST,
  maxInFlight: 30,
  bumpAfterMs: 6_000,
  resubmitIntervalMs: 8_000,
  stuckAfterMs: 3_600_000,
}
const BY = { actor: 'ann', reason: 'drill' }
const FIRST = Number(process.env.SEED ?? 1)
const COUNT = Number(process.env.SEEDS ?? 12)

for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
  test(`seed ${seed}`, async () => {
    const dice = createDice(seed)
    const cluster = await createTestCluster({
      policy: POLICY,
      chainSettings: { staleReceiptTimeoutMs: 4_000 },
    })
    const { store, clock, lane, chain, signer } = cluster
    let names = 0
    let node: TestNode = await cluster.startNode(`node-${++names}`)
    let ids = 0
    const random = { id: () => `01890a5d-0000-7000-8000-${(++ids).toString().padStart(12, '0')}` }
    const reservations = createReservations({ store, clock, random, chains: new Map([[lane.chainId, chain]]) })
    const txs: string[] = []
    const reserved: { id: string; nonce: number | null; hash: `0x${string}` | null }[] = []
    const log: string[] = []

    async function sign(nonce: number) {
      const fees = { type: 'eip1559', maxFeePerGas: 90n * GWEI, maxPriorityFeePerGas: 9n * GWEI } as const
      return await signer.sign(lane.signer, {
        chainId: lane.chainId,
        nonce,
        to: lane.signer,
        data: '0x01',
        value: BigInt(dice(1_000_000)),
        gasLimit: 22_000n,
        fees,
      })
    }
    async function amend(type: 'operator.cancelled' | 'operator.sped_up') {
      const id = txs[dice(Math.max(1, txs.length))]
      const tx = id === undefined ? null : await store.findTransaction(id)
      if (tx === null) return
      const step = transition(tx, { type, at: clock.now(), by: BY }, POLICY)
      if (step.tx === tx) return
      const { version, state, attempts } = tx
      await store.amend(
        { before: { version, state, attemptCount: attempts.length }, tx: step.tx, notes: step.notes },
        [],
      )
    }

    for (let step = 0; step < 120; step++) {
      const act = dice(20)
      log.push(String(act))
      if (act < 5) txs.push(await cluster.submit())
      else if (act === 5) txs.push(await cluster.submit({ gasLimit: 20_000n, simulate: false }))
      else if (act === 6) txs.push(await cluster.submit({ validUntil: clock.now() + 1_000 + dice(10_000) }))
      else if (act === 7) await amend(dice(2) === 0 ? 'operator.cancelled' : 'operator.sped_up')
      else if (act === 8) {
        const asked = reservations.reserve({
          lane,
          count: 1,
          ttlMs: 4_000 + dice(10_000),
          label: null,
          requestId: null,
          lockOwner: 'me',
        })
        asked.catch(() => {})
        await clock.advance(5_200)
        const [reservedNonces] = (await asked.catch(() => ({ reservations: [] }))).reservations
        if (reservedNonces) reserved.push({ id: reservedNonces.id, nonce: reservedNonces.nonce, hash: null })
      } else if (act === 9 || act === 10) {
        const reservation = reserved[dice(Math.max(1, reserved.length))]
        if (reservation && reservation.nonce !== null && reservation.hash === null) {
          const { raw, hash } = await sign(reservation.nonce)
          const use = async () => {
            await reservations.act(reservation.id, 'me', { type: 'use', hash })
            reservation.hash = hash
          }
          if (dice(2) === 0) {
            await use()
              .then(() => chain.broadcast([{ raw, hash }]))
              .catch(() => {})
          } else {
            await chain.broadcast([{ raw, hash }])
            if (dice(4) > 0) await use().catch(() => {})
          }
        }
      } else if (act === 11) {
        const reservation = reserved[dice(Math.max(1, reserved.length))]
        if (reservation && reservation.hash === null)
          await reservations.act(reservation.id, 'me', { type: 'release' }).catch(() => {})
      } else if (act === 12) {
        const nonce = await chain.getTransactionCount(lane.signer, dice(2) === 0 ? 'latest' : 'pending').catch(() => 0)
        const { raw, hash } = await sign(nonce)
        await chain.broadcast([{ raw, hash }])
      } else if (act === 13) {
        node.kill()
        node = await cluster.startNode(`node-${++names}`)
      } else if (act === 14)
        chain.reorg(1 + dice(2), {
          length: 3,
          keep: (['included', 'pooled', 'dropped'] as const)[dice(3)] ?? 'dropped',
        })
      else if (act === 15) chain.dropPool()
      else if (act === 16) chain.setBaseFee(BigInt(1 + dice(12)) * GWEI)
      else if (act === 17) {
        const fault = (['unavailable', 'answer_lost', 'rate_limited', 'stale'] as const)[dice(4)] ?? 'stale'
        const odds = 2 + dice(4)
        chain.setFault(dice(3) === 0 ? null : ({ name }) => (name !== 'onHeadHint' && dice(odds) === 0 ? fault : null))
      } else if (act === 18)
        node.store.setFault(
          dice(2) === 0 ? null : () => (dice(6) === 0 ? (dice(2) === 0 ? 'unavailable' : 'answer_lost') : null),
        )
      await clock.advance(dice(3_000))
      if (dice(2) === 0) chain.mine(dice(6) === 0 ? () => false : undefined)
      await clock.advance(dice(50))
    }
    chain.setFault(null)
    node.store.setFault(null)
    chain.setBaseFee(GWEI)
    // Holders do what they ought to: what they said they used they send until it is mined.
    for (let count = 0; count < 260; count++) {
      await clock.advance(2_000)
      if (count % 20 === 0) {
        // An operator sees to what is stuck.
        for (const tx of (await store.loadLane(lane)).inFlight.filter(({ state }) => state === 'STUCK')) {
          const step = transition(tx, { type: 'operator.cancelled', at: clock.now(), by: BY }, POLICY)
          const { version, state, attempts } = tx
          if (step.tx !== tx)
            await store.amend(
              { before: { version, state, attemptCount: attempts.length }, tx: step.tx, notes: step.notes },
              [],
            )
        }
        for (const reservation of reserved) {
          if (reservation.hash === null || reservation.nonce === null) continue
          const row = (await store.findReservations([reservation.id]))[0]
          if (!row || row.finalAt !== null || row.inclusion !== null) continue
          if ((await chain.findTransaction(reservation.hash)) !== null) continue
          const { raw, hash } = await sign(reservation.nonce)
          await chain.broadcast([{ raw, hash }])
          await reservations.act(reservation.id, 'me', { type: 'use', hash }).catch(() => {})
        }
      }
      chain.mine()
      await clock.advance(20)
    }
    const mined = await cluster.mined()
    const nonces = mined.map(({ nonce }) => nonce)
    expect(nonces, log.join()).toEqual(nonces.map((_, index) => index))
    const hashes = new Set(mined.map(({ hash }) => hash))
    const open: string[] = []
    for (const id of txs) {
      const tx = await cluster.find(id)
      const found = tx.attempts.filter(({ hash }) => hashes.has(hash))
      expect(found.length, `${id} was mined ${found.length} times`).toBeLessThan(2)
      const { state } = tx
      if (!['CONFIRMED', 'CANCELLED', 'EXPIRED', 'FAILED_FINAL'].includes(state))
        open.push(`${state}/${tx.subState}/${'nonce' in tx ? tx.nonce : '-'}/${tx.error?.code}`)
      const [own] = found
      if (state === 'CONFIRMED') expect(own?.kind === 'original' || own?.kind === 'bump').toBe(true)
      if (state === 'EXPIRED') expect(own).toBeUndefined()
      if (state === 'CANCELLED')
        expect(own === undefined || own.kind === 'cancel', `${tx.subState} ${own?.kind}`).toBe(true)
    }
    const reservedNonces = (await store.readLaneRequests(lane)).reservations.map(
      ({ state, nonce }) => `${state} ${nonce}`,
    )
    expect({ open, reservedNonces, lane: (await store.loadLane(lane)).inFlight.length }, log.join()).toEqual({
      open: [],
      reservedNonces: [],
      lane: 0,
    })
    for (const { id } of reserved) {
      const row = (await store.findReservations([id]))[0]
      if (row?.result === 'succeeded') expect(row.inclusion !== null && hashes.has(row.inclusion.txHash)).toBe(true)
      if (row?.result === 'foreign')
        expect(
          row.hashes.some((hash) => hashes.has(hash)),
          'foreign, but it was its own',
        ).toBe(false)
    }
    reservations.close()
  })
}
