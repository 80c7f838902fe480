/** A gas oracle beside the RPC nodes: it prices transactions while it is sane, and never beyond nodes and caps. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { scenario } from './scenario.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const GWEI = 10n ** 9n

let node: SingleNode
let oracle: Server
let said: unknown

beforeEach(async () => {
  oracle = createServer((_, response) => response.end(JSON.stringify(said)))
  await new Promise<void>((resolve) => oracle.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  await node.close()
  oracle.close()
})

async function start(env: Record<string, string> = {}): Promise<void> {
  const { port } = oracle.address() as AddressInfo
  node = await startSingleNode({
    preset: 'fast',
    env: {
      DROVER_GAS_ORACLE_URL: `http://127.0.0.1:${port}/a-very-secret-key`,
      DROVER_GAS_ORACLE_FIELDS: 'maxFee=data.max,priorityFee=data.tip',
      DROVER_GAS_ORACLE_TIMEOUT: '10s',
      ...env,
    },
  })
}

interface Offer {
  readonly maxFeePerGas: bigint
  readonly tip: bigint
}

async function sendOne(): Promise<Offer> {
  const id = await node.send()
  const { hash } = await node.until(id, ({ state }) => state === 'TRACKING')
  const found = await eventually(
    () => node.chain.rpc<Record<string, string> | null>('eth_getTransactionByHash', [hash]),
    (tx) => tx !== null,
  )
  await node.mineUntil([id], 'CONFIRMED')
  return { maxFeePerGas: BigInt(found?.maxFeePerGas ?? 0), tip: BigInt(found?.maxPriorityFeePerGas ?? 0) }
}

scenario(
  'a gas oracle prices transactions; when it lies, the RPC nodes do, and the log says so without its URL',
  async () => {
    said = { data: { max: 7.5, tip: '1.25' } }
    await start()
    expect(await sendOne()).toEqual({ maxFeePerGas: 7_500_000_000n, tip: 1_250_000_000n })
    expect(await node.metric('drover_gas_oracle_total', 'result="used"')).toBeGreaterThan(0)

    said = { data: { max: 5_000_000, tip: 4_000_000 } }
    await node.stopService()
    await node.start()
    const lied = await sendOne()
    expect(lied.tip).toBeLessThanOrEqual(2n * GWEI)
    expect(lied.maxFeePerGas).toBeLessThan(10n * GWEI)
    expect(await node.metric('drover_gas_oracle_total', 'result="refused"')).toBeGreaterThan(0)
    expect(node.drover().output()).toContain('the gas oracle is not used now')
    expect(node.drover().output()).not.toContain('a-very-secret-key')
  },
)

scenario('a gas oracle never makes a transaction cost more than maxTxFee', async () => {
  said = { data: { max: 9, tip: 2 } }
  // The next block asks about 3 gwei; of the 9 of the oracle, the cap leaves 4 for a gas limit of 25,200.
  await start({ DROVER_MAX_TX_FEE: '0.0001008ether' })
  expect((await sendOne()).maxFeePerGas).toBe(4n * GWEI)
})
