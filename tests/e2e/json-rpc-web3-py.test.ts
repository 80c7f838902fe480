/** web3.py, as it is from pip, against the JSON-RPC endpoint; skipped where pip cannot have it. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { revertingCode } from '../setup/contracts.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'
import { placeCode } from '../setup/place-code.ts'
import { findWeb3Py, type Web3Py } from '../setup/web3-py.ts'

const SCRIPT = fileURLToPath(new URL('../setup/python/web3_calls.py', import.meta.url))
const REVERTING = '0x00000000000000000000000000000000000c0de1'
/** The first time, pip has to fetch it. */
const SETUP_TIMEOUT_MS = 300_000
let service: JsonRpcService
let web3: Web3Py

beforeAll(async () => {
  web3 = await findWeb3Py()
  service = await startJsonRpcService()
  await placeCode(service, REVERTING, revertingCode('closed on Sundays'))
}, SETUP_TIMEOUT_MS)

afterAll(() => service.close())

test('sends, counts, subscribes and fails as with a node', async (context) => {
  if (web3.type === 'missing') return context.skip(web3.reason)
  const { stdout } = await promisify(execFile)(web3.python, [SCRIPT], {
    env: { ...process.env, DROVER_RPC: service.rpcUrl, TO: service.stranger.address, REVERTING },
    timeout: 90_000,
  })
  const seen = JSON.parse(stdout)
  expect(seen).toMatchObject({
    accounts: [service.fast.address, service.stable.address],
    plain: 1,
    lone_tip: 1,
    numeric_type: 1,
    access_list: 2,
    parallel: [4, 2, 0, 3, 1],
    websocket: [31_337, 1],
    batch: 2,
  })
  expect(seen.revert).toMatch(/^ContractLogicError: .*execution reverted: closed on Sundays/)
  expect(seen.poor).toMatch(/insufficient funds for gas \* price \+ value/)
  expect(seen.free).toMatch(/max fee per gas less than block base fee/)
  expect(seen.used_nonce).toMatch(/nonce too low/)
})
