/** Subscriptions over a WebSocket while the chain is reorganised under them. */
import { once } from 'node:events'
import { Contract, ContractFactory, JsonRpcProvider } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { COUNTER } from '../setup/contracts.ts'
import { eventually } from '../setup/eventually.ts'
import { type JsonRpcService, startJsonRpcService } from '../setup/json-rpc-service.ts'

interface Told {
  readonly subscription: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever JSON comes back
  readonly result: any
}

let service: JsonRpcService
let socket: WebSocket
const told: Told[] = []

beforeAll(async () => {
  service = await startJsonRpcService({ blockTimeSeconds: 0, env: { DROVER_FINALITY: '20' } })
  socket = new WebSocket(service.socketUrl)
  await once(socket, 'open')
})

afterAll(async () => {
  socket.terminate()
  await service.close()
})

async function subscribe(...params: readonly unknown[]): Promise<string> {
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }))
  const [data] = await once(socket, 'message')
  return JSON.parse(String(data)).result
}

function toldTo(subscription: string): readonly Told['result'][] {
  return told.filter((item) => item.subscription === subscription).map(({ result }) => result)
}

async function mineUntilMined(hash: string) {
  return eventually(
    async () => {
      await service.chain.mine(1)
      return (await service.rpc('eth_getTransactionReceipt', hash)).result
    },
    (receipt) => receipt !== null,
    { everyMs: 200 },
  )
}

test('logs of a reorged block are sent as removed, then again from their new block', async () => {
  const provider = new JsonRpcProvider(service.rpcUrl, undefined, { pollingInterval: 100 })
  const signer = await provider.getSigner(service.fast.address)
  const deployed = await new ContractFactory(COUNTER.abi, COUNTER.bytecode, signer).deploy()
  await mineUntilMined(deployed.deploymentTransaction()?.hash ?? '')
  const address = await deployed.getAddress()
  // Buried, so that only what comes later is lost.
  await service.chain.mine(3)

  const heads = await subscribe('newHeads')
  const logs = await subscribe('logs', { address })
  socket.on('message', (data) => {
    const { params } = JSON.parse(String(data))
    if (params !== undefined) told.push(params)
  })
  const { hash } = await new Contract(address, COUNTER.abi, signer).getFunction('increase')(3n)
  const first = await mineUntilMined(hash)
  await eventually(
    async () => toldTo(logs),
    (seen) => seen.length === 1,
  )
  expect(toldTo(logs)[0]).toMatchObject({ removed: false, blockHash: first.blockHash, transactionHash: hash })

  await service.chain.reorg(2)
  const seen = await eventually(
    async () => {
      await service.chain.mine(1)
      return toldTo(logs)
    },
    (list) => list.length === 3,
    { everyMs: 200 },
  )
  expect(seen[1]).toEqual({ ...seen[0], removed: true })
  expect(seen[2]).toMatchObject({ removed: false, transactionHash: hash })
  expect(seen[2].blockHash).not.toBe(first.blockHash)

  const numbers = toldTo(heads).map(({ number }) => Number(number))
  expect(numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0))).toBe(true)
  const jumps = numbers.filter((number, index) => index > 0 && number > (numbers[index - 1] ?? 0) + 1)
  expect(jumps).toEqual([])
  provider.destroy()
})
