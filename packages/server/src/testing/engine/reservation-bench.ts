/** A cluster on which nonces are reserved and cursors reset. Time stands still unless a test moves it. */
import { onTestFinished } from 'vitest'
import { createResetNonce } from '../../engine/operate/reset-nonce.ts'
import { createReservations } from '../../engine/reservations/reserve.ts'
import {
  createTakeBackNonces,
  type TakeBackAction,
  type TakeBackFilter,
} from '../../engine/reservations/take-back-nonces.ts'
import { createTestCluster, type TestClusterOptions } from './test-cluster.ts'

export const TTL_MS = 60_000

export async function createReservationBench(options: TestClusterOptions = {}) {
  const cluster = await createTestCluster(options)
  const { store, clock, lane, chain } = cluster
  let ids = 0
  const random = { id: () => `01890a5d-0000-7000-8000-${(++ids).toString().padStart(12, '0')}` }
  const reservations = createReservations({ store, clock, random, chains: new Map([[lane.chainId, chain]]) })
  const resets = createResetNonce({ store, clock, random })
  const takeBackNonces = createTakeBackNonces({ store, chains: new Map([[lane.chainId, chain]]) })
  onTestFinished(() => {
    reservations.close()
    resets.close()
  })

  /** The question is asked first, and answered by moving the time. */
  async function soon<T>(promise: Promise<T>, ms = 300): Promise<T> {
    promise.catch(() => {})
    await clock.advance(ms)
    return await promise
  }
  const asked = { lane, count: 1, ttlMs: TTL_MS, label: null, requestId: null, lockOwner: 'me' }
  const reserve = (count = 1, ms = 300) => soon(reservations.reserve({ ...asked, count }), ms)
  async function lend(ttlMs = TTL_MS) {
    const [reserved] = (await soon(reservations.reserve({ ...asked, ttlMs }))).reservations
    if (reserved?.nonce === null || reserved === undefined) throw new Error('no nonce was reserved')
    return { ...reserved, nonce: reserved.nonce }
  }
  const find = (id: string) => soon(reservations.find(id), 10)
  const reset = (ms = 300) => soon(resets.reset(lane, { actor: 'ann', reason: 'wiped' }), ms)
  const by = { actor: 'ann', reason: 'frozen' }
  const takeBack = async (action: TakeBackAction = 'release', filter: TakeBackFilter = {}) => {
    const taken = await soon(takeBackNonces(lane, { action, filter, by }))
    return taken.map(({ outcome }) => outcome)
  }
  return { ...cluster, cluster, newId: random.id, takeBack, reservations, reserve, lend, find, reset, soon, asked }
}
