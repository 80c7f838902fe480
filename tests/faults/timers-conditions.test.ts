/** Conditions that loop, that a node gives up, or that break the connection: only the timers of whoever set them wait. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { COUNTER } from '../setup/contracts.ts'
import { eventually } from '../setup/eventually.ts'
import { createFirstKey } from '../setup/first-key.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { drop, pass, type Reaction, rpcError } from '../setup/rpc-reactions.ts'
import { startService, type TestService } from '../setup/service.ts'

type Key = { readonly headers: Record<string, string> }

const sender = developmentAccount(0)
const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const
const COUNTING = addressOf(0xc0_00)
/** JUMPDEST PUSH1 0 JUMP: goes on until its gas is used up. */
const LOOP = { at: addressOf(0xbad), code: '0x5b600056' }
const TIMERS = 100
const MET = { to: COUNTING, function: 'total() returns (uint256)', is: 'gte', value: '0' }
const LOOPING = { to: LOOP.at, function: 'total() returns (uint256)', is: 'gte', value: '0' }

let service: TestService
let proxies: readonly RpcProxy[]
let shop: Key
let heavy: Key
let looping: readonly string[]

beforeAll(async () => {
  let token = ''
  service = await startService({
    env: { DROVER_FINALITY: '2', DROVER_SIGNER_POLICY: 'fast' },
    prepare: async ({ url }) => {
      token = (await createFirstKey(url, { name: 'root', scopes: ['read', 'send', 'admin'] })).token
    },
    rpcUrl: async (chain) => {
      proxies = [await startRpcProxy(chain.rpcUrl), await startRpcProxy(chain.rpcUrl)]
      return proxies.map(({ url }) => url).join(',')
    },
  })
  const makeKey = async (name: string): Promise<Key> => {
    const grant = { name, scopes: ['read', 'send'] }
    const made = await service.drover.post('/v1/api-keys', grant, { authorization: `Bearer ${token}` })
    expect(made.status).toBe(201)
    return { headers: { authorization: `Bearer ${made.body.token}` } }
  }
  shop = await makeKey('shop')
  heavy = await makeKey('heavy')
  const runtime = `0x${COUNTER.bytecode.slice(2 + 2 * 11)}`
  await service.chain.setCode(COUNTING, runtime)
  await service.chain.setCode(LOOP.at, LOOP.code)
  await service.chain.mine(3)
})

afterAll(async () => {
  await service?.stop()
  for (const proxy of proxies ?? []) await proxy.stop()
})

async function create(key: Key, body: object): Promise<string> {
  const call = { function: 'increase(uint256)', args: ['1'] }
  const given = { from: sender.address, to: COUNTING, call, gasLimit: '100000', ...body }
  const answer = await service.drover.post('/v1/timers', given, key.headers)
  expect(answer).toMatchObject({ status: 201 })
  return answer.body.id
}

interface FireBody {
  readonly height: number
  readonly state: string
  readonly skipReason: string | null
  readonly condition: { readonly outcome: string; readonly message: string | null } | null
}

async function firesOf(key: Key, id: string): Promise<readonly FireBody[]> {
  return (await service.drover.request('GET', `/v1/timers/${id}/fires?limit=200`, undefined, key.headers)).body.items
}

/** A new timer of the shop fires and its transactions are confirmed. */
async function expectService(): Promise<void> {
  for (const condition of [{}, { when: MET }]) {
    const id = await create(shop, { schedule: { type: 'interval', blocks: 1 }, ...condition })
    await eventually(
      async () => {
        await service.chain.mine(1)
        return (await firesOf(shop, id)).filter(({ state }) => state === 'CONFIRMED').length
      },
      (confirmed) => confirmed >= 2,
    )
    await service.drover.request('DELETE', `/v1/timers/${id}`, undefined, shop.headers)
  }
}

/** Reacts so to every looping call. */
function breakCalls(proxy: RpcProxy | undefined, reaction: Reaction): () => void {
  const isLooping = ([call]: readonly unknown[]) => (call as { to?: string }).to === LOOP.at
  return proxy?.on('eth_call', ({ params }) => (isLooping(params) ? reaction : pass)) ?? (() => {})
}

test('a condition that a node gives up, or that breaks its connection, stops no other timer [G12]', async () => {
  const calm = breakCalls(proxies[0], rpcError(-32_000, 'execution aborted (timeout = 5s)'))
  looping = await Promise.all(
    Array.from({ length: TIMERS }, (_, n) =>
      create(heavy, { to: addressOf(0xd0_00 + n), schedule: { type: 'interval', blocks: 1 }, when: LOOPING }),
    ),
  )
  await service.chain.mine(1)
  await expectService()
  calm()
  const mend = breakCalls(proxies[0], drop({ forward: false }))
  await expectService()
  const first = (await firesOf(heavy, looping[0] ?? '')).at(-1)
  expect(first).toMatchObject({ state: 'OBSERVED', condition: null })
  mend()
})

test('conditions that use up their gas are skipped, while the others go on [G12]', async () => {
  await expectService()
  const first = await eventually(
    async () => (await firesOf(heavy, looping[0] ?? '')).at(-1),
    (fire) => fire?.state === 'SKIPPED',
  )
  expect(first?.skipReason).toBe('condition_failed')
  expect(first?.condition).toMatchObject({
    outcome: 'failed',
    message: expect.stringMatching(/^The call reverted: .*gas/i),
  })
  const [call] = proxies[0]?.calls.findLast(({ method }) => method === 'eth_call')?.params ?? []
  expect(call).toMatchObject({ gas: '0x989680' })
  await expectService()
})
