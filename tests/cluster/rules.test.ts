/** Daily caps against 32 senders who race for them on three nodes: what is accepted fits, to the wei. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, startCluster } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'

const PAYEE = `0x${'d1'.repeat(20)}`
const TOKEN = `0x${'d2'.repeat(20)}`
const VALUE = 10n ** 12n
const GAS = 60_000n
const PRICE = 10n ** 11n
const FITTING = 50
const SENDERS = 32
const EACH = 4

const word = (value: bigint) => value.toString(16).padStart(64, '0')
const plain = { to: PAYEE, value: VALUE.toString() }
/** Of 7 units. */
const transfer = { to: TOKEN, data: `0xa9059cbb${word(BigInt(PAYEE))}${word(7n)}` }
const fees = { maxFeePerGas: PRICE.toString(), maxPriorityFeePerGas: '1' }
const upTo = (amount: bigint) => ({ perDay: (BigInt(FITTING) * amount).toString() })

const CAPS = [
  ['value.perDay', { value: upTo(VALUE) }, plain],
  [`tokens.${TOKEN}.perDay`, { tokens: [{ token: TOKEN, ...upTo(7n) }] }, transfer],
  ['gas.perDay', { gas: upTo(GAS * PRICE) }, { ...plain, gasLimit: GAS.toString(), fees }],
] as const

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster({ nodes: 3, lanes: CAPS.length, env: { DROVER_SIMULATION_TIMEOUT: '30s' } })
})

afterAll(async () => {
  await cluster?.stop()
})

test.each(CAPS.map((each, index) => [...each, index] as const))(
  '32 parallel senders on three nodes cannot pass %s by racing',
  async (rule, rules, tx, index) => {
    const from = cluster.signers[index]?.address
    const path = `/v1/signers/${from}`
    const act = (action: string) => cluster.anyNode().post(`${path}/${action}`, { reason: 'race' })
    // Until all have come, none ends: an end could give back room.
    await act('pause')
    expect((await cluster.anyNode().request('PUT', `${path}/rules`, rules)).status).toBe(200)
    const statuses = await Promise.all(
      Array.from({ length: SENDERS }, async (_, sender) => {
        const seen: number[] = []
        for (let turn = 0; turn < EACH; turn++) {
          const body = { from, ...tx, requestId: `${rule}-${sender}-${turn}` }
          const answer = await cluster.nodes[(sender + turn) % 3]?.post('/v1/transactions', body)
          if (answer?.status === 403) expect(answer.body).toMatchObject({ code: 'refused_by_rule', rule })
          seen.push(answer?.status ?? 0)
        }
        return seen
      }),
    )
    const count = (status: number) => statuses.flat().filter((each) => each === status).length
    expect([count(202), count(403)]).toEqual([FITTING, SENDERS * EACH - FITTING])
    expect((await cluster.anyNode().get(`${path}/rules`)).body.usage).toMatchObject([{ rule, remaining: '0' }])
    await act('resume')
    await eventually(
      async () => (await cluster.anyNode().get(`/v1/transactions?from=${from}&state=CONFIRMED&limit=100`)).body.items,
      (ended: readonly unknown[]) => ended.length === FITTING,
    )
    expect(Number(await cluster.chain.rpc<string>('eth_getTransactionCount', [from, 'latest']))).toBe(FITTING)
  },
)
