import { expect, test } from 'vitest'
import { FAST, type Policy, STABLE } from '../core/lane/policy.ts'
import type { SignerRecord } from '../ports/store.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { logKeptPolicies } from './log-kept-policies.ts'

function logged(kept: Policy, wanted: Policy | null) {
  const telemetry = createRecordingTelemetry()
  const lane = { chainId: 1, signer: `0x${'a1'.repeat(20)}` } as const
  const record: SignerRecord = { lane, policy: kept, label: null, paused: false, createdAt: 0 }
  logKeptPolicies([record], telemetry, () => wanted)
  return telemetry.logs
}

test('nothing is logged for a signer that matches the settings, or that they do not mention', () => {
  expect(logged({ ...STABLE }, STABLE)).toEqual([])
  expect(logged(STABLE, null)).toEqual([])
})

test('a setting without effect is logged, with the value that applies instead', () => {
  const wanted = { ...STABLE, stuckAfterMs: 5_000, maxFeePerGasWei: 7n, finality: { type: 'safe' } } as const
  expect(logged(STABLE, wanted)).toMatchObject([
    {
      level: 'warn',
      fields: {
        kept: 'stuckAfterMs 900000, not 5000, maxFeePerGasWei null, not 7, finality null, not {"type":"safe"}',
      },
    },
  ])
  expect(logged(STABLE, FAST)[0]?.fields.kept).toContain('preset "stable", not "fast"')
})
