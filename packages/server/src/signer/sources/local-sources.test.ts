import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import type { Hex } from '../../core/hex.ts'
import type { ReadSecret } from '../../ports/secret-ref.ts'
import { describeKeySource } from '../../testing/signer/key-source.suite.ts'
import { openSigningKit } from '../signing-kit.ts'
import { openDemoKeys, openEnvironmentKeys } from './environment-keys.ts'
import { openMnemonicKeys } from './mnemonic-keys.ts'

const KEYS: readonly Hex[] = [`0x${'42'.repeat(32)}`, `0x${'43'.repeat(32)}`]
const PHRASE = 'test test test test test test test test test test test junk'
/** The first two accounts of the phrase, which every local chain funds. */
const PHRASE_KEYS: readonly Hex[] = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
]
const kit = await openSigningKit()
const path = { parent: "m/44'/60'/0'/0", first: 0, last: 1 }
const phrase = { type: 'file', path: '/run/secrets/phrase' } as const
const reading =
  (text: string): ReadSecret =>
  async () =>
    text

describeKeySource('environment', async () => ({ source: openEnvironmentKeys(KEYS, kit), privateKeys: KEYS }), {
  isDeterministic: true,
})

describeKeySource('demo', async () => ({ source: openDemoKeys(KEYS, kit), privateKeys: KEYS }), {
  isDeterministic: true,
})

describeKeySource(
  'mnemonic',
  async () => ({
    source: await openMnemonicKeys({ phrase, path }, { kit, readSecret: reading(`  ${PHRASE.toUpperCase()}\n`) }),
    privateKeys: PHRASE_KEYS,
    secrets: [PHRASE],
  }),
  { isDeterministic: true },
)

test('a range of paths gives one account for each, from the first to the last', async () => {
  const range = { parent: "m/44'/60'/0'/0", first: 1, last: 10 }
  const source = await openMnemonicKeys({ phrase, path: range }, { kit, readSecret: reading(PHRASE) })
  expect(source.addresses()).toHaveLength(10)
  expect(source.addresses()[0]).toBe(privateKeyToAccount(PHRASE_KEYS[1] ?? '0x').address.toLowerCase())
  expect(source.place).toBe("m/44'/60'/0'/0/1..10")
})

test.each([
  ['a word that is in no list', PHRASE.replace('junk', 'drover')],
  ['a wrong checksum', PHRASE.replace('junk', 'test')],
  ['too few words', 'test junk'],
])('a phrase with %s is refused and not echoed', async (_, text) => {
  const problem = await openMnemonicKeys({ phrase, path }, { kit, readSecret: reading(text) }).catch(String)
  expect(problem).toBe('Error: the file /run/secrets/phrase does not contain a valid BIP-39 phrase in English')
})
