/** web3.js 4, as it is from npm, against the JSON-RPC endpoint. */
import { parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Web3 } from 'web3'
import { COUNTER } from '../setup/contracts.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'

const abi = parseAbi(COUNTER.abi)
let service: JsonRpcService

beforeAll(async () => {
  service = await startJsonRpcService()
})

afterAll(() => service.close())

test('eth.sendTransaction', async () => {
  const web3 = new Web3(service.rpcUrl)
  expect((await web3.eth.getAccounts()).toSorted()).toEqual([service.fast.address, service.stable.address].sort())
  const receipt = await web3.eth.sendTransaction({
    from: service.fast.address,
    to: service.stranger.address,
    value: '3',
  })
  expect(receipt).toMatchObject({ status: 1n, from: service.fast.address.toLowerCase() })
})

test('a contract is deployed and called', async () => {
  const web3 = new Web3(service.rpcUrl)
  const from = service.fast.address
  const contract = await new web3.eth.Contract(abi).deploy({ data: COUNTER.bytecode }).send({ from })
  const { increase, total } = contract.methods
  if (increase === undefined || total === undefined) throw new Error('the contract has both')
  const receipt = await increase(9).send({ from })
  expect(receipt.status).toBe(1n)
  expect(await total().call()).toBe(9n)
})

test('new heads over a WebSocket', async () => {
  const web3 = new Web3(service.socketUrl)
  const subscription = await web3.eth.subscribe('newHeads')
  const numbers = await new Promise<bigint[]>((resolve, reject) => {
    const seen: bigint[] = []
    subscription.on('data', ({ number }) => {
      seen.push(BigInt(number ?? -1))
      if (seen.length === 3) resolve(seen)
    })
    subscription.on('error', reject)
  })
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0n) + BigInt(index)))
  await subscription.unsubscribe()
  web3.provider?.disconnect()
})
