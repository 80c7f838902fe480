/**
 * A policy belongs to the signer, in the database, where operators change it. Settings apply only to new signers. If
 * someone changes a setting and restarts, the log must say that it changed nothing.
 */
import type { Policy } from '../core/lane/policy.ts'
import type { SignerRecord } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'

export function logKeptPolicies(
  signers: readonly SignerRecord[],
  telemetry: Pick<Telemetry, 'log'>,
  configured: (signer: SignerRecord) => Policy | null,
): void {
  for (const signer of signers) {
    const wanted = configured(signer)
    const kept = wanted === null ? [] : listDifferences(signer.policy, wanted)
    if (kept.length === 0) continue
    const { chainId, signer: address } = signer.lane
    const message =
      'signer keeps its stored policy: settings apply only to new signers; change it with PATCH /v1/signers/{address}'
    telemetry.log('warn', message, { chainId, address, kept: kept.join(', ') })
  }
}

function listDifferences(kept: Policy, wanted: Policy): readonly string[] {
  const now = new Map<string, unknown>(Object.entries(kept))
  return Object.entries(wanted)
    .filter(([name, value]) => print(now.get(name)) !== print(value))
    .map(([name, value]) => `${name} ${print(now.get(name))}, not ${print(value)}`)
}

function print(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? 'unset')
}
