/** What docs/timers.md promises, on contracts compiled from their sources: poke, react, harvest, pay. */
import { decodeErrorResult, encodeFunctionData, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'
import { type CompiledContract, compileExamples, deploy } from '../setup/solidity.ts'

const sender = developmentAccount(0)
const other = developmentAccount(1)
const contracts = compileExamples()

interface FireBody {
  readonly id: string
  readonly height: number
  readonly state: string
  readonly data: Hex
  readonly skipReason: string | null
  readonly transactionId: string | null
}

let service: TestService

beforeAll(async () => {
  service = await startService({
    env: { DROVER_FINALITY: '1', DROVER_SIGNER_POLICY: 'fast', DROVER_BLOCK_TIME: '12s' },
  })
  await service.chain.rpc('anvil_impersonateAccount', [other.address])
  await service.chain.mine(3)
})
afterAll(() => service?.stop())

function get(name: string): CompiledContract {
  const found = contracts.get(name)
  if (found === undefined) throw new Error(`${name} was not compiled`)
  return found
}

async function place(name: string, args: readonly unknown[] = []): Promise<Hex> {
  return await deploy(service.chain, other.address, get(name), args)
}

async function create(body: object) {
  const answer = await service.drover.post('/v1/timers', { from: sender.address, ...body })
  expect(answer).toMatchObject({ status: 201 })
  return answer.body
}

async function read(name: string, to: Hex, functionName: string, args: readonly unknown[] = []): Promise<bigint> {
  const data = encodeFunctionData({ abi: get(name).abi, functionName, args })
  return BigInt(await service.chain.rpc<string>('eth_call', [{ to, data }, 'latest']))
}

async function act(name: string, to: Hex, functionName: string, args: readonly unknown[] = []): Promise<void> {
  const data = encodeFunctionData({ abi: get(name).abi, functionName, args })
  await service.chain.rpc('eth_sendTransaction', [{ from: other.address, to, data }])
  await service.chain.mine(1)
}

/** Mines until as many have been confirmed, then ends the timer and waits for those that were on their way. */
async function collect(id: string, count: number): Promise<readonly FireBody[]> {
  const fires = async () => (await service.drover.get(`/v1/timers/${id}/fires?limit=200`)).body.items as FireBody[]
  const mine = async () => {
    await service.chain.mine(1)
    return await fires()
  }
  await eventually(mine, (items) => items.filter(({ state }) => state === 'CONFIRMED').length >= count)
  await service.drover.request('DELETE', `/v1/timers/${id}`)
  const all = await eventually(mine, (items) =>
    items.every(({ state }) => state === 'CONFIRMED' || state === 'SKIPPED'),
  )
  return all.filter(({ state }) => state === 'CONFIRMED')
}

test('an interval pokes a counter', async () => {
  const counter = await place('Counter')
  const timer = await create({ to: counter, call: { function: 'poke()' }, schedule: { type: 'interval', blocks: 2 } })
  const fires = await collect(timer.id, 2)
  expect(await read('Counter', counter, 'count')).toBe(BigInt(fires.length))
})

test('a watch reacts to the event of another contract, and only if its argument fits', async () => {
  const [watched, reacting] = [await place('Counter'), await place('Counter')]
  const event = 'Poked(address indexed by, uint256 count)'
  const call = { function: 'poke()' }
  const watch = (by: string) =>
    create({ to: reacting, call, schedule: { type: 'watch', contract: watched, event, args: [by] } })
  const [timer, deaf] = [await watch(other.address), await watch(sender.address)]
  await act('Counter', watched, 'poke')
  const fires = await collect(timer.id, 1)
  expect(fires).toHaveLength(1)
  expect((await service.drover.get(`/v1/timers/${deaf.id}/fires`)).body.items).toEqual([])
  expect(await read('Counter', reacting, 'count')).toBe(1n)
})

test('a harvest is sent only while there is something to harvest', async () => {
  const vault = await place('Vault')
  const timer = await create({
    to: vault,
    call: { function: 'harvest()' },
    gasLimit: '100000',
    schedule: { type: 'interval', blocks: 1 },
    when: { function: 'pending() returns (uint256)', is: 'gt', value: '0' },
    overlap: 'skip',
  })
  await service.chain.mine(3)
  await act('Vault', vault, 'earn', [500n])
  const fires = await collect(timer.id, 1)
  expect(fires).toHaveLength(1)
  expect(await read('Vault', vault, 'harvested')).toBe(500n)
})

test('a subscription is paid by minutes, once for each fire, and the same call again is refused', async () => {
  const price = 10n ** 15n
  const { abi } = get('Subscription')
  const subscription = await place('Subscription', [price])
  const timer = await create({
    to: subscription,
    call: { function: 'pay()' },
    value: price.toString(),
    gasLimit: '100000',
    schedule: { type: 'interval', minutes: 1 },
    appendDeliverId: true,
  })
  // A minute is five blocks of twelve seconds.
  expect(timer).toMatchObject({ schedule: { type: 'interval', blocks: 5 }, dueHeight: timer.createdHeight + 5 })
  const fires = await collect(timer.id, 2)
  expect(await read('Subscription', subscription, 'payments')).toBe(BigInt(fires.length))
  const [fire] = fires
  expect(await read('Subscription', subscription, 'hasRun', [fire?.id])).toBe(1n)
  const sent = (await service.drover.get(`/v1/transactions/${fire?.transactionId}`)).body
  expect(sent.data).toBe(`${fire?.data}${fire?.id.slice(2)}`)
  expect(await revertOf({ to: subscription, data: sent.data, value: `0x${price.toString(16)}` }, abi)).toBe(
    'FireHasRun',
  )
  const bare = { to: subscription, data: fire?.data, value: `0x${price.toString(16)}` }
  expect(await revertOf(bare, abi)).toBe('NoFireId')
})

async function revertOf(call: object, abi: CompiledContract['abi']): Promise<string> {
  const response = await fetch(service.chain.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_call',
      params: [{ from: other.address, ...call }, 'latest'],
    }),
  })
  const { error } = (await response.json()) as { error?: { data?: Hex } }
  return decodeErrorResult({ abi, data: error?.data ?? '0x' }).errorName
}
