/** A daily cap against 32 senders who race for it on three nodes: what is accepted fits, to the wei. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cluster, startCluster } from '../setup/cluster.ts'
import { eventually } from '../setup/eventually.ts'

const PAYEE = `0x${'d1'.repeat(20)}`
const VALUE = 10n ** 12n
const FITTING = 100n
const SENDERS = 32
const EACH = 8

let cluster: Cluster

beforeAll(async () => {
  cluster = await startCluster({ nodes: 3, lanes: 1, env: { DROVER_SIMULATION_TIMEOUT: '30s' } })
})

afterAll(async () => {
  await cluster?.stop()
})

test('32 parallel senders on three nodes cannot pass a daily cap by racing', async () => {
  const [signer] = cluster.signers
  const from = signer?.address
  const path = `/v1/signers/${from}/rules`
  const rules = { value: { perDay: (FITTING * VALUE).toString() } }
  expect((await cluster.anyNode().request('PUT', path, rules)).status).toBe(200)
  const statuses = await Promise.all(
    Array.from({ length: SENDERS }, async (_, sender) => {
      const seen: number[] = []
      for (let index = 0; index < EACH; index++) {
        const body = { from, to: PAYEE, value: VALUE.toString(), requestId: `${sender}-${index}` }
        const answer = await cluster.nodes[(sender + index) % 3]?.post('/v1/transactions', body)
        if (answer?.status === 403) expect(answer.body).toMatchObject({ code: 'refused_by_rule', rule: 'value.perDay' })
        seen.push(answer?.status ?? 0)
      }
      return seen
    }),
  )
  const counts = (status: number) => statuses.flat().filter((each) => each === status).length
  expect([counts(202), counts(403)]).toEqual([Number(FITTING), SENDERS * EACH - Number(FITTING)])
  const read = async () => BigInt(await cluster.chain.rpc<string>('eth_getBalance', [PAYEE, 'latest']))
  expect(await eventually(read, (balance) => balance >= FITTING * VALUE).then(String)).toBe(String(FITTING * VALUE))
  const shown = await cluster.anyNode().get(path)
  expect(shown.body.usage).toMatchObject([{ rule: 'value.perDay', remaining: '0' }])
})
