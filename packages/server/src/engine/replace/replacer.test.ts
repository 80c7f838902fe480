/** Replacements while the price cannot be read. */
import { expect, test } from 'vitest'
import { StoreUnavailable } from '../../ports/store.ts'
import { hashOf, tracking } from '../../testing/core/sample-transactions.ts'
import { operate, POLICY } from '../../testing/engine/fast-bench.ts'
import { createManualClock } from '../../testing/engine/manual-clock.ts'
import { createTestCluster } from '../../testing/engine/test-cluster.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createLaneDraft } from '../lane/lane-draft.ts'
import { createLedger } from '../lane/ledger.ts'
import { createReplacer } from './replacer.ts'

async function setUp() {
  const cluster = await createTestCluster({ policy: POLICY })
  await cluster.startNode()
  const id = await cluster.submit()
  await cluster.clock.advance(100)
  const kinds = async () => (await cluster.find(id)).attempts.map(({ kind }) => kind)
  return { cluster, id, kinds }
}

test('what could not be read is asked for again, although no block comes', async () => {
  const { cluster, id, kinds } = await setUp()
  cluster.chain.setFault(({ name }) => (name === 'getFeeMarket' ? 'unavailable' : null))
  // What was read at an older head does not count.
  cluster.chain.mine(() => false)
  await cluster.clock.advance(500)
  await operate(cluster, id, 'operator.cancelled')
  expect(await kinds()).toEqual(['original'])
  cluster.chain.setFault(null)
  await cluster.clock.advance(6_000)
  expect(await kinds()).toEqual(['original', 'cancel'])
})

test('what was not ordered and is paid well enough is left alone', async () => {
  const { cluster, kinds } = await setUp()
  for (let block = 0; block < 10; block++) {
    await cluster.clock.advance(2_000)
    cluster.chain.mine(() => false)
  }
  await cluster.clock.advance(200)
  expect(await kinds()).toEqual(['original'])
})

test('if the spending rules cannot be asked for, nothing is signed and the lane goes on', async () => {
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const tx = tracking('pending', { requestedReplacement: 'speed_up' })
  const market = { baseFeePerGas: 1n, gasPrice: 2n, priorityFeePerGas: { slow: 1n, standard: 1n, fast: 1n } }
  let reviews = 0
  const replacer = createReplacer({
    chain: {
      getFeeMarket: async () => market,
      estimate: async (calls) => calls.map(() => ({ type: 'ok', gas: 21_000n })),
      getBalance: async () => 10n ** 20n,
    },
    signer: { addresses: () => [], sign: () => Promise.reject(new Error('nothing is signed')) },
    rules: {
      reviewBump: async () => {
        reviews++
        throw new StoreUnavailable('down')
      },
    },
    clock,
    telemetry,
    lane: tx.intent.lane,
    chainMaxFeeWei: null,
    wake: () => {},
  })
  const draft = createLaneDraft(createLedger({ cursor: 9, inFlight: [tx], recyclable: [] }), POLICY)
  const head = { number: 5, hash: hashOf(5) }
  // The market and the call are read between the rounds.
  for (let round = 0; round < 4; round++) {
    await replacer.replace(draft, { policy: POLICY, head, isBlocked: () => false })
    await clock.settle()
  }
  expect(reviews).toBeGreaterThan(0)
  expect(draft.isEmpty()).toBe(true)
  expect(telemetry.logs).toMatchObject(Array.from({ length: reviews }, () => ({ level: 'error' })))
})
