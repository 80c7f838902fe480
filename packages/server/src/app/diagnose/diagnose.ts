/**
 * Checks everything that the service needs, from where it would run, and names the fix for each problem. It changes
 * nothing, and one problem does not prevent the other checks.
 */
import type { KeyConfig } from '../../config/key-config.ts'
import { listSendUrls } from '../../config/values/send-urls.ts'
import type { Address } from '../../core/hex.ts'
import { JAVASCRIPT_CURVE } from '../../signer/curve.ts'
import { describeKit, openSigningKit, type SigningKit } from '../../signer/signing-kit.ts'
import type { Door } from '../find-door-problem.ts'
import { sessionTimeouts } from '../session-timeouts.ts'
import { diagnoseChain } from './diagnose-chain.ts'
import { diagnoseDatabase, diagnosePooler } from './diagnose-database.ts'
import { diagnoseKeys } from './diagnose-keys.ts'
import type { ChainSubject } from './diagnose-node.ts'
import { diagnoseOracle } from './diagnose-oracle.ts'
import { diagnoseSender } from './diagnose-sender.ts'
import { type Finding, ok, warn } from './finding.ts'

export interface Subject {
  /** Null if the settings do not say. */
  readonly databaseUrl: string | null
  /** Null: statements go to the database itself. */
  readonly poolerUrl: string | null
  readonly leaseDurationMs: number
  readonly keepUntilArchived: boolean
  readonly chains: readonly ChainSubject[]
  /** Null if they are set wrong. */
  readonly keys: KeyConfig | null
  /** Null: nothing to say about who may call it, as in a trial. */
  readonly door: Door | null
  /** For a trial, keys in the environment are fine. */
  readonly isTrial: boolean
}

export async function diagnose(subject: Subject): Promise<readonly Finding[]> {
  const kit = await openSigningKit()
  const { databaseUrl, keys } = subject
  const chainId = subject.chains[0]?.chainId ?? 1
  const { findings, addresses } =
    keys === null
      ? { findings: [], addresses: [] }
      : await diagnoseKeys({ keys, databaseUrl, chainId, isTrial: subject.isTrial }, kit)
  const parts = await Promise.all([
    diagnoseStorage(subject, addresses),
    ...subject.chains.map((chain) => diagnoseChain(chain, addresses)),
    ...subject.chains.flatMap((chain) =>
      listSendUrls(chain.sendUrls).map((url) => diagnoseSender(url, chain, addresses)),
    ),
    ...subject.chains.flatMap(({ gasOracle }) => (gasOracle === null ? [] : [diagnoseOracle(gasOracle)])),
  ])
  const signing = addresses.length === 0 ? [] : [diagnoseSigning(kit)]
  return [...(parts[0] ?? []), ...findings, ...signing, ...parts.slice(1).flat()]
}

function diagnoseSigning(kit: SigningKit): Finding {
  return kit.curve === JAVASCRIPT_CURVE
    ? warn(
        'signing',
        describeKit(kit),
        'use a platform with a native build or WebAssembly: signing is 10 times faster there',
      )
    : ok('signing', describeKit(kit))
}

async function diagnoseStorage(subject: Subject, addresses: readonly Address[]): Promise<readonly Finding[]> {
  const { databaseUrl, poolerUrl, leaseDurationMs, door, keepUntilArchived, chains } = subject
  const senders = { chains, addresses }
  const found = await Promise.all([
    databaseUrl === null
      ? []
      : diagnoseDatabase({ url: databaseUrl, door, hasPooler: poolerUrl !== null, keepUntilArchived, senders }),
    poolerUrl === null ? [] : diagnosePooler(poolerUrl, sessionTimeouts(leaseDurationMs)),
  ])
  return found.flat()
}
