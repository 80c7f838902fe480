/** Where the keys are, and whether each can sign: every key signs a challenge. */
import { checksumAddress } from '../../api/contract/values/address.ts'
import type { KeyConfig } from '../../config/key-config.ts'
import type { Address } from '../../core/hex.ts'
import type { KeySource } from '../../ports/key-source.ts'
import { KeyStoreAway } from '../../ports/signer.ts'
import { checkKey } from '../../signer/check-key.ts'
import type { SigningKit } from '../../signer/signing-kit.ts'
import { createPostgresKeyStore } from '../../store/postgres/keys/postgres-key-store.ts'
import { openKeys } from '../keys/open-keys.ts'
import { createSystemClock } from '../system-clock.ts'
import { type Finding, failed, ok, warn } from './finding.ts'

interface KeyDiagnosis {
  readonly findings: readonly Finding[]
  readonly addresses: readonly Address[]
}

interface KeySubject {
  readonly keys: KeyConfig
  readonly databaseUrl: string | null
  /** For the challenge. */
  readonly chainId: number
  readonly isTrial: boolean
}

const FIX = 'check that the key store is running, and the settings of this key source (docs/keys.md)'

export async function diagnoseKeys(subject: KeySubject, kit: SigningKit): Promise<KeyDiagnosis> {
  const { keys, databaseUrl } = subject
  const warnings: string[] = []
  const telemetry = { log: (_: unknown, message: string) => void warnings.push(message), count() {}, gauge() {} }
  const applicationName = 'drover doctor'
  const store = databaseUrl === null ? null : createPostgresKeyStore({ databaseUrl, telemetry, applicationName })
  try {
    const { sources } = await openKeys(keys, { kit, telemetry, store })
    const found = await Promise.all(sources.map((source) => diagnoseSource(source, subject)))
    const addresses = [...new Set(sources.flatMap((source) => source.addresses()))]
    for (const source of sources) await source.close()
    const advice = 'protect it: anyone who can read it can send from these accounts'
    const notes = [...new Set(warnings)]
      .filter((text) => text.includes('can read'))
      .map((text) => warn('key files', text, advice))
    return { findings: [...found, ...notes], addresses }
  } catch (error) {
    return {
      findings: [failed('keys', error instanceof Error ? error.message : 'cannot be opened', FIX)],
      addresses: [],
    }
  } finally {
    await store?.close()
  }
}

async function diagnoseSource(source: KeySource, { chainId, isTrial }: KeySubject): Promise<Finding> {
  const name = `keys: ${source.type}`
  const problem = await source.look().then(
    () => null,
    (error: unknown) => (error instanceof KeyStoreAway ? error.message : 'cannot be read'),
  )
  const clock = createSystemClock()
  const broken: string[] = []
  for (const address of source.addresses()) {
    const check = await checkKey(source, address, chainId, clock)
    if (check.type === 'failed') broken.push(`${checksumAddress(address)}: ${check.message}`)
  }
  const list = source.addresses().map(checksumAddress).join(', ')
  const trouble = [...(problem === null ? [] : [problem]), ...broken]
  if (trouble.length > 0) return failed(name, `${source.place}: ${trouble.join('; ')}`, FIX)
  if (list === '') return warn(name, `no keys in ${source.place}`, 'add one, for example with `drover signer create`')
  const detail = `${source.addresses().length} in ${source.place} can sign: ${list}`
  return source.type === 'environment' && !isTrial
    ? warn(name, detail, 'fine for trials; in production use another key source (docs/keys.md)')
    : ok(name, detail)
}
