import { expect, test } from 'vitest'
import { type Address, toAddress } from '../../../core/hex.ts'
import {
  CHAIN_ID,
  createTestApi,
  SIGNER,
  SPARE,
  STRANGER,
  type TestApiOptions,
} from '../../../testing/api/create-test-api.ts'

const OWN: NonNullable<TestApiOptions['services']>['ownKeys'] = {
  addresses: () => [SIGNER],
  defaultPolicy: () => {
    throw new Error('not asked for')
  },
  find: (address) =>
    address === SIGNER
      ? { source: 'remote', place: 'signer:9000', problem: { message: 'signer:9000 does not respond', since: 0 } }
      : null,
  check: async () => ({ type: 'failed', message: 'signer:9000 does not respond' }),
  create: async () => null,
  remove: async () => ({ type: 'unknown' }),
}

test('a lane says where its key is, whether it can sign, and when it last did', async () => {
  const { server } = await createTestApi({ services: { ownKeys: OWN } })
  const [lane] = (await server.inject(`/v1/signers/${SIGNER}`)).json().lanes
  expect(lane).toMatchObject({
    lastSignedAt: null,
    key: { source: 'remote', place: 'signer:9000', canSign: false, problem: 'signer:9000 does not respond' },
  })
})

test('verify answers with the result, also if the key cannot sign or is not here', async () => {
  const verify = async (options: TestApiOptions) => {
    const { server } = await createTestApi(options)
    return (await server.inject({ method: 'POST', url: `/v1/signers/${SIGNER}/verify` })).json()
  }
  expect(await verify({})).toMatchObject({
    verified: true,
    source: 'keystore',
    place: '/keys',
    problem: null,
    tookMs: 1,
  })
  const away = { verified: false, source: 'remote', problem: 'signer:9000 does not respond', tookMs: null }
  expect(await verify({ services: { ownKeys: OWN } })).toMatchObject(away)
  const nowhere = { ...OWN, find: () => null }
  expect(await verify({ services: { ownKeys: nowhere } })).toMatchObject({
    verified: false,
    source: null,
    problem: 'node node-a does not have the key',
  })
})

test('a removed signer is gone from the API, and can be added again', async () => {
  const api = await createTestApi()
  const post = (path: string, payload: object) => api.server.inject({ method: 'POST', url: path, payload })
  const removed = await post(`/v1/signers/${SIGNER}/remove`, { reason: 'rotated' })
  expect(removed.json()).toMatchObject({ chainIds: [CHAIN_ID] })
  expect((await api.server.inject(`/v1/signers/${SIGNER}`)).statusCode).toBe(404)
  expect((await api.server.inject('/v1/signers')).json().items).toEqual([])
  expect((await post(`/v1/signers/${SIGNER}/remove`, { reason: 'again' })).json().code).toBe('not_found')
  const added = await post('/v1/signers', { chainId: CHAIN_ID, address: SIGNER, label: 'back' })
  expect([added.statusCode, added.json().label]).toEqual([201, 'back'])
})

test('a new key becomes a signer; without a master key nothing is created', async () => {
  const created = toAddress(`0x${'88'.repeat(20)}`)
  const payload = { chainId: CHAIN_ID, createKey: true, label: 'fresh' }
  const without = await createTestApi()
  expect((await without.server.inject({ method: 'POST', url: '/v1/signers', payload })).json()).toMatchObject({
    code: 'no_master_key',
    status: 409,
  })
  const api = await createTestApi()
  const find = (address: Address) => ({ source: 'database' as const, place: 'PostgreSQL', problem: null, address })
  const defaultPolicy = () => ({ ...POLICY, maxInFlight: 3 })
  const [{ policy: POLICY } = { policy: null as never }] = (await api.store.listSigners()).map(({ policy }) => ({
    policy,
  }))
  const own = { ...OWN, defaultPolicy, find, create: async () => created }
  const withKey = await createTestApi({ services: { ownKeys: own } })
  const reply = await withKey.server.inject({ method: 'POST', url: '/v1/signers', payload })
  expect([reply.statusCode, reply.json().label, reply.json().key.source]).toEqual([201, 'fresh', 'database'])
})

test.each([
  ['both', { chainId: CHAIN_ID, address: SPARE, createKey: true }],
  ['neither', { chainId: CHAIN_ID }],
  ['a key', { chainId: CHAIN_ID, createKey: '0x11' }],
])('an address or a new key, not %s', async (_, payload) => {
  const { server } = await createTestApi()
  const reply = await server.inject({ method: 'POST', url: '/v1/signers', payload })
  expect([reply.statusCode, reply.json().code]).toEqual([400, 'invalid_request'])
})

test('a signer that nobody has heard of', async () => {
  const { server } = await createTestApi()
  const reply = await server.inject({ method: 'POST', url: `/v1/signers/${STRANGER}/verify` })
  expect(reply.json().code).toBe('not_found')
})
