/** Callers that sign themselves, beside managed transactions, while nodes and callers die: one cursor, no nonce twice, none lost. */
import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, readChain, startCluster } from '../setup/cluster.ts'
import type { HttpAnswer } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'

const RESERVERS = 32
const ROUNDS = 6
const KILLS = 3
/** Of callers that die with their nonce. */
const SHORT_TTL_MS = 2_500
/** Of callers that use or release theirs: longer than any takeover, however slow the machine is. */
const LONG_TTL_MS = 600_000

let cluster: Cluster
let database: Client

beforeAll(async () => {
  cluster = await startCluster({
    nodes: 3,
    lanes: 1,
  })
  database = new Client({ connectionString: cluster.database.url })
  await database.connect()
})

afterAll(async () => {
  await database?.end()
  await cluster?.stop()
})

interface Lent {
  readonly id: string
  readonly nonce: number
  readonly lockOwner: string
}

/** Until some node has answered: one that dies is replaced by another. */
async function ask(path: string, body: object, isGood: (answer: HttpAnswer) => boolean): Promise<HttpAnswer> {
  return await eventually(
    () =>
      cluster
        .anyNode()
        .post(path, body)
        .catch((error: unknown) => ({ status: 0, headers: new Headers(), body: String(error) })),
    isGood,
    { timeoutMs: 60_000 },
  )
}

function address(): string {
  return cluster.signers[0]?.address ?? ''
}

/** With a proof and a request id of its own a caller can ask again after a lost answer, and gets the same nonce. */
async function reserve(ttlMs = LONG_TTL_MS): Promise<Lent> {
  const lockOwner = randomUUID()
  const body = { ttlMs, lockOwner, requestId: randomUUID() }
  const answer = await ask(`/v1/signers/${address()}/nonces`, body, ({ status }) => status === 201 || status === 200)
  const [{ id, nonce }] = answer.body.items
  return { id, nonce, lockOwner }
}

async function signAndSend(nonce: number): Promise<string> {
  const account = privateKeyToAccount(cluster.signers[0]?.privateKey as `0x${string}`)
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: 31_337,
    nonce,
    to: account.address,
    value: 0n,
    gas: 21_000n,
    maxFeePerGas: 100n * 10n ** 9n,
    maxPriorityFeePerGas: 2n * 10n ** 9n,
  })
  return await cluster.chain.rpc<string>('eth_sendRawTransaction', [raw])
}

/** Says first what it will send, so that it sends nothing with a nonce that is no longer its own. */
async function use({ id, nonce, lockOwner }: Lent): Promise<number> {
  const answer = await ask(`/v1/nonces/${id}/extend`, { lockOwner, ttlMs: LONG_TTL_MS }, isAnswer)
  if (answer.status !== 200) return answer.status
  const hash = await signAndSend(nonce)
  return (await ask(`/v1/nonces/${id}/use`, { lockOwner, hash }, isAnswer)).status
}

function isAnswer({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 500
}

async function readEvents(): Promise<readonly { type: string; nonce: number; id: string }[]> {
  const events = []
  for (let after = 0; ; ) {
    const { body } = await cluster.anyNode().get(`/v1/events?after=${after}&limit=200`)
    for (const { type, detail } of body.items)
      if (type.startsWith('reservation.')) events.push({ type, nonce: detail.nonce, id: detail.reservationId })
    if (body.items.length === 0) return events
    after = body.next
  }
}

test(`${RESERVERS} reservers at three nodes, the owner killed ${KILLS} times [G1]`, async () => {
  const used: number[] = []
  const late: Lent[] = []
  let rounds = 0
  const intents: string[] = []

  async function run(index: number): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      const fate = (index + round) % 4
      const lent = await reserve(fate === 3 ? SHORT_TTL_MS : LONG_TTL_MS)
      rounds++
      if (fate === 0 || fate === 1) {
        if ((await use(lent)) === 200) used.push(lent.nonce)
      } else if (fate === 2) {
        const { id, lockOwner } = lent
        await ask(`/v1/nonces/${id}/release`, { lockOwner }, isAnswer)
      } else {
        // A caller that dies with its nonce.
        late.push(lent)
        const to = cluster.signers[0]?.address
        intents.push(await cluster.send({ from: address(), to, value: '0', requestId: `intent-${index}-${round}` }))
      }
    }
  }

  const running = Promise.all(Array.from({ length: RESERVERS }, (_, index) => run(index)))
  // A reserver that fails ends the wait at once.
  const broken = running.then(() => rounds)
  for (let kill = 1; kill <= KILLS; kill++) {
    await eventually(
      () => Promise.race([broken, Promise.resolve(rounds)]),
      (count) => count >= (RESERVERS * ROUNDS * kill) / (KILLS + 1),
      {
        timeoutMs: 120_000,
      },
    )
    const owner = await cluster.busiest()
    await cluster.killNode(owner)
    await cluster.startNode(owner)
  }
  await running

  // Whoever comes back after its lock has run out is refused.
  expect(late.length).toBeGreaterThan(10)
  await eventually(
    async () => (await database.query('select from nonce_reservation where final_at is null')).rowCount,
    (open) => open === 0,
    { timeoutMs: 120_000, everyMs: 500 },
  )
  for (const { id, lockOwner } of late.slice(0, 10)) {
    const answer = await ask(`/v1/nonces/${id}/use`, { lockOwner, hash: `0x${'ab'.repeat(32)}` }, isAnswer)
    expect(answer).toMatchObject({ status: 409, body: { code: 'reservation_expired' } })
  }

  // No nonce was with two at a time: whoever got one, got it new or after it had come back.
  const free = new Set<number>()
  const given = new Set<number>()
  for (const { type, nonce } of await readEvents()) {
    if (type === 'reservation.granted') {
      expect(given.has(nonce) && !free.has(nonce), `nonce ${nonce} was lent twice`).toBe(false)
      given.add(nonce)
      free.delete(nonce)
    }
    if (type === 'reservation.expired' || type === 'reservation.returned') if (nonce !== null) free.add(nonce)
  }
  expect(new Set(used).size).toBe(used.length)
  expect(used.length).toBeGreaterThan(RESERVERS)

  // None is lost: every nonce below the cursor is used, held or free.
  const cursor = await database.query<{ next_nonce: string }>('select next_nonce from signer_nonce_cursor')
  const next = Number(cursor.rows[0]?.next_nonce)
  const noted = await database.query<{ nonce: string; status: string }>('select nonce, status from nonce_allocation')
  expect(noted.rows.map(({ nonce }) => Number(nonce)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: next }, (_, nonce) => nonce),
  )

  // Used ones, managed ones and filled ones make one sequence on chain, each once.
  for (const id of intents) {
    await eventually(
      async () => (await cluster.anyNode().get(`/v1/transactions/${id}`)).body.state,
      (state) => state === 'CONFIRMED',
    )
  }
  const mined = (await readChain(cluster.chain)).map(({ nonce }) => nonce)
  expect(mined).toEqual(Array.from({ length: mined.length }, (_, index) => index))
  for (const nonce of used) expect(mined).toContain(nonce)
})

test('unused nonces are reserved again, lowest first', async () => {
  const lent: number[] = []
  const readLane = async () => (await cluster.anyNode().get(`/v1/signers/${address()}`)).body.lanes[0]
  const giveBack = ({ id, lockOwner }: Lent) => ask(`/v1/nonces/${id}/release`, { lockOwner }, isAnswer)
  const first: Lent[] = []
  for (let index = 0; index < 5; index++) first.push(await reserve())
  for (const each of first) await giveBack(each)
  await eventually(readLane, ({ free, reserved }) => reserved === 0 && free >= 5)
  for (const { nonce } of first) lent.push(nonce)
  const again: Lent[] = []
  for (let index = 0; index < 3; index++) again.push(await reserve())
  expect(again.map(({ nonce }) => nonce)).toEqual(lent.toSorted((a, b) => a - b).slice(0, 3))
  for (const each of again) await giveBack(each)
  await eventually(readLane, ({ reserved }) => reserved === 0)
})

test('an operator resets the cursor to the chain, but not past a nonce in use [G2]', async () => {
  const reset = () => ask(`/v1/signers/${address()}/reset-nonce`, { reason: 'rehearsal' }, isAnswer)
  const lent = await reserve()
  const refused = await reset()
  expect(refused).toMatchObject({ status: 409, body: { code: 'action_forbidden' } })
  expect(refused.body.detail).toContain(`nonce ${lent.nonce} of reservation ${lent.id}`)
  await ask(`/v1/nonces/${lent.id}/release`, { lockOwner: lent.lockOwner }, isAnswer)
  const done = await eventually(reset, ({ status }) => status === 200)
  const count = Number(await cluster.chain.rpc<string>('eth_getTransactionCount', [address(), 'latest']))
  expect(done.body).toMatchObject({ state: 'DONE', toNonce: count, reason: 'rehearsal' })
  expect(done.body.fromNonce).toBeGreaterThan(count)
  const { body } = await cluster.anyNode().get(`/v1/signers/${address()}`)
  expect(body.lanes).toMatchObject([{ nextNonce: count, free: 0 }])
  expect(body.resets.slice(0, 2)).toMatchObject([{ id: done.body.id }, { state: 'REFUSED' }])
  expect((await reserve()).nonce).toBe(count)
})
