import { beforeEach, describe, expect, test } from 'vitest'
import { FAST, STABLE } from '../../../core/lane/policy.ts'
import {
  CHAIN_ID,
  createTestApi,
  LANE,
  SIGNER,
  SIGNER_CHECKSUMMED,
  STRANGER,
  type TestApi,
} from '../../../testing/api/create-test-api.ts'
import { laneResource } from '../../contract/resources/signer-resource.ts'
import { changePolicy } from '../../lookup/change-policy.ts'

let api: TestApi

beforeEach(async () => {
  api = await createTestApi()
})

async function call(method: 'PATCH' | 'POST', path: string, payload: object) {
  const reply = await api.server.inject({ method, url: `/v1/signers/${path}`, payload })
  return { status: reply.statusCode, body: reply.json() }
}

async function stored() {
  const record = (await api.store.listSigners()).find(({ lane }) => lane.chainId === CHAIN_ID)
  if (record === undefined) throw new Error('no signer')
  return record
}

describe('PATCH /v1/signers/{address}', () => {
  test('changes what is given and leaves the rest', async () => {
    const { status, body } = await call('PATCH', SIGNER_CHECKSUMMED, {
      label: 'payouts',
      policy: { maxInFlight: 8, maxFeePerGas: '0x3b9aca00', finality: 0 },
    })
    expect(status).toBe(200)
    expect(laneResource.strict().parse(body)).toMatchObject({
      chainId: CHAIN_ID,
      address: SIGNER_CHECKSUMMED,
      label: 'payouts',
      paused: false,
      policy: { preset: 'fast', maxInFlight: 8, maxFeePerGas: '1000000000', finality: 0, gasLimitPercent: 120 },
    })
    const finality = { type: 'confirmations', count: 0 }
    expect(await stored()).toMatchObject({
      label: 'payouts',
      policy: { ...FAST, maxInFlight: 8, maxFeePerGasWei: 10n ** 9n, finality },
    })
    const shown = await api.server.inject(`/v1/signers/${SIGNER}`)
    expect(shown.json().lanes).toEqual([body])
  })

  test('the answer comes once this node acts on the change, not before', async () => {
    const seen: (number | 'auto')[] = []
    api = await createTestApi({
      services: { applySigners: async () => void seen.push((await stored()).policy.maxInFlight) },
    })
    expect((await call('PATCH', SIGNER, { policy: { maxInFlight: 8 } })).status).toBe(200)
    expect(seen).toEqual([8])
    expect((await call('POST', `${SIGNER}/pause`, { reason: 'a look' })).status).toBe(200)
    expect(seen).toHaveLength(2)
  })

  test('a reason is stored in the history', async () => {
    const reason = 'gas is dear today'
    expect((await call('PATCH', SIGNER, { policy: { maxFeePerGas: null }, reason })).status).toBe(200)
    const { items } = (await api.server.inject('/v1/events')).json()
    expect(items.at(-1)).toMatchObject({ type: 'signer.changed', detail: { fields: ['maxFeePerGas'], reason } })
    expect(await call('PATCH', SIGNER, { reason })).toMatchObject({ status: 400 })
  })

  test('null removes a label, a cap and a rule', async () => {
    await call('PATCH', SIGNER, { label: 'x', policy: { maxFeePerGas: 5, finality: 'safe' } })
    await call('PATCH', SIGNER, { label: null, policy: { maxFeePerGas: null, finality: null } })
    expect(await stored()).toMatchObject({ label: null, policy: FAST })
  })

  test('the change is logged with its fields', async () => {
    await call('PATCH', SIGNER, { label: 'x', policy: { mayReplace: false } })
    expect(api.telemetry.logs).toMatchObject([
      { level: 'info', message: 'signer changed', fields: { fields: ['label', 'mayReplace'], signer: SIGNER } },
    ])
  })

  test.each<[object, string]>([
    [{ policy: { maxInFlight: 0 } }, 'policy.maxInFlight'],
    [{ policy: { maxInFlight: 10_001 } }, 'policy.maxInFlight'],
    [{ policy: { maxInFlight: 1.5 } }, 'policy.maxInFlight'],
    [{ policy: { maxInFlight: '8' } }, 'policy.maxInFlight'],
    [{ policy: { resubmitIntervalMs: 499 } }, 'policy.resubmitIntervalMs'],
    [{ policy: { stuckAfterMs: 999 } }, 'policy.stuckAfterMs'],
    [{ policy: { maxSubmitAttempts: 0 } }, 'policy.maxSubmitAttempts'],
    [{ policy: { gasLimitPercent: 99 } }, 'policy.gasLimitPercent'],
    [{ policy: { maxFeePerGas: 0 } }, 'policy.maxFeePerGas'],
    [{ policy: { maxFeePerGas: '-1' } }, 'policy.maxFeePerGas'],
    [{ policy: { finality: 'soon' } }, 'policy.finality'],
    [{ policy: { preset: 'slow' } }, 'policy.preset'],
    [{ policy: { mayReplace: 'yes' } }, 'policy.mayReplace'],
    [{ policy: { onForeignNonce: 'ignore' } }, 'policy.onForeignNonce'],
    [{ policy: { maxFeePerGasWei: 5 } }, 'policy.maxFeePerGasWei'],
    [{ label: '' }, 'label'],
    [{ label: 'x'.repeat(101) }, 'label'],
    [{ label: 'x', paused: true }, 'paused'],
    [{ label: 'x', chainId: 0 }, 'chainId'],
  ])('%j is refused by name, and nothing changes', async (payload, field) => {
    const before = await stored()
    expect(await call('PATCH', SIGNER, payload)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', field },
    })
    expect(await stored()).toEqual(before)
  })

  test.each([[{}], [{ policy: {} }], [{ chainId: CHAIN_ID }]])(
    '%j changes nothing, and is refused',
    async (payload) => {
      expect(await call('PATCH', SIGNER, payload)).toMatchObject({
        status: 400,
        body: { detail: expect.stringContaining('must change label or a field of policy') },
      })
    },
  )
})

describe('another preset', () => {
  test('changes only what the presets differ in', () => {
    const own = { ...STABLE, maxFeePerGasWei: 7n, stuckAfterMs: 1_234, finality: { type: 'safe' } as const }
    const fast = changePolicy(own, { preset: 'fast' })
    expect(fast).toEqual({ ...FAST, maxFeePerGasWei: 7n, stuckAfterMs: 1_234, finality: { type: 'safe' } })
    expect(changePolicy(fast, { preset: 'stable' })).toEqual(own)
    expect(changePolicy(STABLE, { preset: 'fast' })).toEqual(FAST)
    expect(changePolicy(FAST, { preset: 'stable' })).toEqual(STABLE)
  })

  test('fields given with it override it', () => {
    expect(changePolicy(STABLE, { preset: 'fast', maxInFlight: 4 })).toEqual({ ...FAST, maxInFlight: 4 })
  })
})

describe('pause and resume', () => {
  test('with a reason, which is logged; asking twice changes nothing', async () => {
    const reason = { reason: 'keys are moved' }
    for (const [action, paused] of [
      ['pause', true],
      ['pause', true],
      ['resume', false],
    ] as const) {
      const { status, body } = await call('POST', `${SIGNER}/${action}`, reason)
      expect([status, body.paused, (await stored()).paused]).toEqual([200, paused, paused])
    }
    expect(api.telemetry.logs[0]).toMatchObject({ fields: { action: 'pause', actor: 'local', ...reason } })
  })

  test.each([['pause'], ['resume']])('%s without a reason is refused', async (action) => {
    expect(await call('POST', `${SIGNER}/${action}`, {})).toMatchObject({ status: 400, body: { field: 'reason' } })
  })
})

describe('which lane', () => {
  const OTHER = { chainId: 10, signer: SIGNER } as const

  test.each([
    ['PATCH', '', { label: 'x' }],
    ['POST', '/pause', { reason: 'x' }],
  ] as const)('%s%s needs the chain where there are several', async (method, suffix, payload) => {
    const followed = [CHAIN_ID, 10].map((chainId) => ({
      chainId,
      head: null,
      safe: null,
      finalized: null,
      following: true,
      lastError: null,
      endpoints: [],
      health: { state: 'ok', since: null, message: null } as const,
      finality: { type: 'safe' } as const,
    }))
    api = await createTestApi({ services: { chainStatus: () => followed } })
    await api.store.registerSigners([{ lane: OTHER, policy: STABLE, label: null }])
    const path = `${SIGNER}${suffix}`
    expect(await call(method, path, payload)).toMatchObject({
      status: 400,
      body: { field: 'chainId', detail: expect.stringContaining(`${CHAIN_ID}, 10`) },
    })
    const { status, body } = await call(method, path, { ...payload, chainId: 10 })
    expect([status, body.chainId]).toEqual([200, 10])
    expect(await stored()).toMatchObject({ lane: LANE, label: 'treasury', paused: false })
    expect(await call(method, path, { ...payload, chainId: 11 })).toMatchObject({ status: 404 })
  })

  test('an address that is not a signer, and an invalid address', async () => {
    expect(await call('PATCH', STRANGER, { label: 'x' })).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await call('PATCH', 'me', { label: 'x' })).toMatchObject({ status: 400, body: { field: 'address' } })
  })
})
