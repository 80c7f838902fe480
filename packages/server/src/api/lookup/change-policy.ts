/** Applies a caller's changes to a signer's policy. */
import { type Policy, PRESETS } from '../../core/lane/policy.ts'
import type { PolicyChange } from '../contract/requests/signer-request.ts'
import { parseFinality } from '../contract/values/finality.ts'

export function changePolicy(policy: Policy, change: PolicyChange): Policy {
  const { preset, maxFeePerGas, maxTxFee, lowBalance, finality, ...same } = change
  const given = Object.fromEntries(Object.entries(same).filter(([, value]) => value !== undefined))
  return {
    ...policy,
    ...(preset !== undefined && pickPreset(preset)),
    ...given,
    ...(maxFeePerGas !== undefined && { maxFeePerGasWei: maxFeePerGas }),
    ...(maxTxFee !== undefined && { maxTxFeeWei: maxTxFee }),
    ...(lowBalance !== undefined && { lowBalanceWei: lowBalance }),
    ...(finality !== undefined && { finality: finality === null ? null : parseFinality(finality) }),
  }
}

/** Only the fields that define the preset: a fee cap or waiting time that was set explicitly survives the change. */
function pickPreset(name: Policy['preset']): Partial<Policy> {
  const { preset, maxInFlight, slotHeldUntil, mayReplace, externalUse, onForeignNonce, onDeferral } = PRESETS[name]
  return { preset, maxInFlight, slotHeldUntil, mayReplace, externalUse, onForeignNonce, onDeferral }
}
