/** Calls over JSON-RPC that nobody can be served with. */
import type { Chance } from './chance.ts'
import type { HostileRequest } from './hostile-request.ts'
import { HOSTILE_JSON, HOSTILE_TEXTS, HOSTILE_VALUES } from './hostile-values.ts'

const PATHS = [
  '/rpc',
  '/rpc/31337',
  '/rpc/1',
  '/rpc/0',
  '/rpc/x',
  '/rpc/99999999999999999999',
  '/rpc/31337/',
  '/rpc/%00',
]
const METHODS = [
  ...['eth_sendTransaction', 'eth_getTransactionReceipt', 'eth_getTransactionByHash', 'eth_getTransactionCount'],
  ...['eth_call', 'eth_sendRawTransaction', 'eth_sign', 'personal_sign', 'eth_signTypedData_v4', 'eth_subscribe'],
  ...['eth_getLogs', 'eth_accounts', 'eth_getBlockByNumber', 'anvil_setBalance', 'evm_mine', 'debug_traceCall'],
  ...['admin_peers', 'personal_unlockAccount', 'rpc_modules', 'miner_start', 'eth_submitWork', '__proto__', ''],
]

export function makeHostileRpc(chance: Chance): HostileRequest {
  const text = chance.percent(15) ? chance.pick(HOSTILE_JSON) : JSON.stringify(makeCall(chance))
  return {
    method: chance.percent(95) ? 'POST' : chance.pick(['GET', 'PUT', 'DELETE', 'OPTIONS']),
    path: chance.percent(50) ? '/rpc' : chance.pick(PATHS),
    headers: { 'content-type': chance.percent(95) ? 'application/json' : 'text/plain' },
    body: Buffer.from(text),
  }
}

function makeCall(chance: Chance): unknown {
  if (chance.percent(10)) return Array.from({ length: chance.pick([0, 1, 3, 101, 500]) }, () => makeOne(chance))
  return makeOne(chance)
}

function makeOne(chance: Chance): unknown {
  const any = () => (chance.percent(60) ? chance.pick(HOSTILE_TEXTS) : chance.pick(HOSTILE_VALUES))
  const method = chance.percent(75) ? chance.pick(METHODS) : any()
  // Whoever sends has to be a signer, and nobody of these is one.
  const params = chance.percent(70) ? [{ from: any(), to: any(), data: any(), value: any() }, any()] : any()
  return {
    jsonrpc: chance.percent(90) ? '2.0' : any(),
    id: chance.percent(60) ? 1 : any(),
    method,
    ...(chance.percent(90) && { params }),
  }
}
