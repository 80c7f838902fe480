import { expect, test } from 'vitest'
import { FAST } from '../../../core/lane/policy.ts'
import { ChainUnavailable } from '../../../ports/chain.ts'
import { CHAIN_ID, createTestApi, LANE, SIGNER_CHECKSUMMED } from '../../../testing/api/create-test-api.ts'
import { feesResource } from '../../contract/resources/fees-resource.ts'

const market = { baseFeePerGas: 100n, gasPrice: 130n, priorityFeePerGas: { slow: 1n, standard: 2n, fast: 5n } }

test('what the next block asks, what each speed would offer, and whose policy caps it', async () => {
  const read = async () => ({ ...market, saidBy: ['a.example', 'b.example'] })
  const { server, store } = await createTestApi({ services: { feeMarkets: { read } } })
  const note = { type: 'signer.changed', cause: 'operator', detail: {} }
  await store.updateSigner(LANE, { policy: { ...FAST, maxFeePerGasWei: 150n, maxTxFeeWei: 7n } }, note)
  const reply = await server.inject(`/v1/chains/${CHAIN_ID}/fees`)
  expect(feesResource.strict().parse(reply.json())).toEqual({
    chainId: CHAIN_ID,
    nextBaseFeePerGas: '100',
    gasPrice: '130',
    speeds: {
      slow: { maxFeePerGas: '201', maxPriorityFeePerGas: '1' },
      standard: { maxFeePerGas: '202', maxPriorityFeePerGas: '2' },
      fast: { maxFeePerGas: '205', maxPriorityFeePerGas: '5' },
    },
    saidBy: ['a.example', 'b.example'],
    maxTxFee: String(10n ** 18n),
    caps: [{ address: SIGNER_CHECKSUMMED, maxFeePerGas: '150', maxTxFee: '7' }],
  })
})

test('a chain without base fees', async () => {
  const read = async () => ({ ...market, baseFeePerGas: null })
  const { server } = await createTestApi({ services: { feeMarkets: { read } } })
  expect((await server.inject(`/v1/chains/${CHAIN_ID}/fees`)).json()).toMatchObject({
    nextBaseFeePerGas: null,
    gasPrice: '130',
    caps: [],
    speeds: { slow: { maxFeePerGas: null, maxPriorityFeePerGas: '1' } },
  })
})

test('a chain that is not followed, and one that does not answer', async () => {
  const { server } = await createTestApi()
  expect((await server.inject('/v1/chains/5/fees')).json()).toMatchObject({ status: 404, code: 'not_found' })
  const read = () => Promise.reject(new ChainUnavailable('no'))
  const away = await createTestApi({ services: { feeMarkets: { read } } })
  expect((await away.server.inject(`/v1/chains/${CHAIN_ID}/fees`)).json()).toMatchObject({ code: 'chain_unavailable' })
})

test('RPC nodes that take the request and answer nothing: 503 after a moment, because the page waits for it', async () => {
  const due: (() => void)[] = []
  const schedule = (_delayMs: number, run: () => void) => {
    due.push(run)
    return () => {}
  }
  const read = () => new Promise<never>(() => {})
  const clock = { now: Date.now, monotonic: () => 0, schedule }
  const { server } = await createTestApi({ services: { feeMarkets: { read }, clock } })
  const reply = server.inject(`/v1/chains/${CHAIN_ID}/fees`)
  const settled = reply.then(({ statusCode }) => statusCode)
  while ((await Promise.race([settled, new Promise((resolve) => setImmediate(resolve))])) === undefined)
    for (const run of due.splice(0)) run()
  expect((await reply).json()).toMatchObject({ status: 503, code: 'chain_unavailable' })
})
