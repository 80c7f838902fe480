import { expect, test } from 'vitest'
import { CHAIN_ID, createTestApi, SIGNER, SPARE, STRANGER, type TestApi } from '../../../testing/api/create-test-api.ts'
import { laneResource } from '../../contract/resources/signer-resource.ts'

function post({ server }: TestApi, payload: object) {
  return server.inject({ method: 'POST', url: '/v1/signers', payload })
}

test('a held key becomes a signer, with changes to its configured policy', async () => {
  const api = await createTestApi()
  const policy = { maxInFlight: 3, maxFeePerGas: '100' }
  const reply = await post(api, { chainId: CHAIN_ID, address: SPARE, label: 'spare', policy })
  expect(reply.statusCode, reply.body).toBe(201)
  const lane = laneResource.parse(reply.json())
  expect(lane).toMatchObject({ chainId: CHAIN_ID, label: 'spare', policy: { preset: 'fast', ...policy } })
  expect(reply.headers.location).toBe(`/v1/signers/${lane.address}`)
  expect((await api.server.inject(String(reply.headers.location))).json()).toMatchObject({ lanes: [lane] })
})

test.each([
  ['registered already', { chainId: CHAIN_ID, address: SIGNER }, 409, 'signer_exists', 'address'],
  ['without a key', { chainId: CHAIN_ID, address: STRANGER }, 400, 'unknown_signer', 'address'],
  ['on another chain', { chainId: 5, address: SPARE }, 400, 'unknown_chain', 'chainId'],
  ['without a chain', { address: SPARE }, 400, 'invalid_request', 'chainId'],
  ['with a key in it', { chainId: CHAIN_ID, address: SPARE, privateKey: '0x1' }, 400, 'invalid_request', 'privateKey'],
])('%s it is refused and nothing changes', async (_, body, status, code, field) => {
  const api = await createTestApi()
  const before = await api.store.listSigners()
  expect((await post(api, body)).json()).toMatchObject({ status, code, field })
  expect(await api.store.listSigners()).toEqual(before)
})
