/** What every key source has to do, whatever protocol is behind it. */
import { inspect } from 'node:util'
import { keccak256, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, type Hex, toAddress } from '../../core/hex.ts'
import type { KeySource } from '../../ports/key-source.ts'
import { KeyStoreAway, type UnsignedTransaction } from '../../ports/signer.ts'
import { findDifference } from '../../signer/find-difference.ts'

export interface OpenedSource {
  readonly source: KeySource
  readonly privateKeys: readonly Hex[]
  /** Passwords, tokens and the like, besides the keys. */
  readonly secrets?: readonly string[]
  /** Takes the place away and brings it back; left out if keys are in memory and need nothing more. */
  setAway?(isAway: boolean): Promise<void> | void
  stop?(): Promise<void>
}

const base: UnsignedTransaction = {
  chainId: 31_337,
  nonce: 7,
  to: '0x00000000000000000000000000000000000000aa',
  data: '0xc0ffee',
  value: 10n ** 18n,
  gasLimit: 50_000n,
  fees: { type: 'eip1559', maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 1n },
}
const legacy = { type: 'legacy', gasPrice: 3_000_000_000n } as const
const accessList = [{ address: base.to ?? '0x', storageKeys: [`0x${'07'.repeat(32)}`] }] as const

const KINDS: Readonly<Record<string, UnsignedTransaction>> = {
  eip1559: base,
  'eip1559 with an access list': { ...base, accessList },
  eip2930: { ...base, fees: legacy, accessList },
  legacy: { ...base, fees: legacy },
  'a deployment': { ...base, to: null },
  'the first transaction, of nothing': { ...base, nonce: 0, value: 0n, data: '0x' },
  'a large chain id': { ...base, chainId: 4_503_599_627_370_476, fees: legacy },
}

export function describeKeySource(
  name: string,
  open: () => Promise<OpenedSource>,
  { isDeterministic }: { readonly isDeterministic: boolean },
): void {
  describe(`key source: ${name}`, () => {
    let opened: OpenedSource
    let source: KeySource
    const accounts = () => opened.privateKeys.map((key) => privateKeyToAccount(key))
    const addresses = () => accounts().map(({ address }) => toAddress(address))
    const [first] = [() => addresses()[0] ?? '0x']

    beforeAll(async () => {
      opened = await open()
      source = opened.source
      await source.look()
    })
    afterAll(async () => {
      await source?.close()
      await opened?.stop?.()
    })

    const expectRight = async (address: Address, asked: UnsignedTransaction): Promise<Hex> => {
      const { raw, hash } = await source.sign(address, asked)
      // Type, every field, low s, and who signed.
      expect(await findDifference(raw, parseTransaction(raw), asked, address)).toBeNull()
      expect(hash).toBe(keccak256(raw))
      return raw
    }

    test('lists its accounts in lower case, each once', () => {
      expect([...source.addresses()].sort()).toEqual(addresses().sort())
    })

    test.each(Object.entries(KINDS))('signs what was asked, and recovers to the account: %s', async (_, asked) => {
      for (const account of accounts()) {
        const raw = await expectRight(toAddress(account.address), asked)
        if (!isDeterministic) continue
        const { to, data, value, gasLimit: gas, fees, ...rest } = asked
        const type = fees.type === 'legacy' && asked.accessList !== undefined ? 'eip2930' : fees.type
        expect(raw).toBe(await account.signTransaction({ ...rest, ...fees, type, to, data, value, gas } as never))
      }
    })

    test('many at the same time', async () => {
      const raws = await Promise.all(
        Array.from({ length: 24 }, (_, nonce) => expectRight(first(), { ...base, nonce: nonce + 1 })),
      )
      expect(new Set(raws).size).toBe(24)
    })

    test('refuses an account that it does not have', async () => {
      await expect(source.sign('0x00000000000000000000000000000000000000bb', base)).rejects.toThrow()
    })

    test('shows no secret when printed or serialised', () => {
      const shown = [inspect(source, { depth: 20, showHidden: true }), JSON.stringify(source), source.place].join()
      for (const key of opened.privateKeys) expect(shown.toLowerCase()).not.toContain(key.slice(2, 20).toLowerCase())
      for (const secret of opened.secrets ?? []) expect(shown).not.toContain(secret)
    })

    test('says that it is away, without secrets, and signs again once it is back', async () => {
      if (opened.setAway === undefined) {
        expect(source.isInMemory).toBe(true)
        return
      }
      await opened.setAway(true)
      const attempt = source.isInMemory ? expectRight(first(), base) : source.sign(first(), base)
      if (source.isInMemory) await attempt
      else await expect(attempt).rejects.toBeInstanceOf(KeyStoreAway)
      const problem: unknown = await source.look().then(
        () => null,
        (error: unknown) => error,
      )
      expect(problem).toBeInstanceOf(KeyStoreAway)
      for (const secret of opened.secrets ?? []) expect(inspect(problem, { depth: 20 })).not.toContain(secret)
      await opened.setAway(false)
      await source.look()
      await expectRight(first(), base)
    })
  })
}
