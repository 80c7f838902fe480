import { expect, test } from 'vitest'
import { createTestApi, SIGNER, STRANGER } from '../../../testing/api/create-test-api.ts'

test('a repeated request is the same whatever the order of its fields and metadata', async () => {
  const { server } = await createTestApi()
  const body = {
    from: SIGNER,
    to: STRANGER,
    gasLimit: '50000',
    schedule: { type: 'interval', blocks: 5 },
    requestId: 'again',
    metadata: { a: '1', b: '2' },
  }
  const post = async (payload: object) => (await server.inject({ method: 'POST', url: '/v1/timers', payload })).json()
  // No node answers here: what is accepted waits.
  expect(await post(body)).toMatchObject({ code: 'timers_unavailable' })
  const turned = Object.fromEntries(Object.entries({ ...body, metadata: { b: '2', a: '1' } }).reverse())
  expect(await post(turned)).toMatchObject({ code: 'timers_unavailable' })
  expect(await post({ ...body, metadata: { a: '1', b: '3' } })).toMatchObject({ code: 'idempotency_conflict' })
})
