import { describe, expect, test } from 'vitest'
import type { Address, Hex } from '../core/hex.ts'
import type { KeySource } from '../ports/key-source.ts'
import { KeyStoreAway, type UnsignedTransaction } from '../ports/signer.ts'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { createKeyRing } from './key-ring.ts'
import { createLocalSigner } from './local-signer.ts'

const KEYS: readonly Hex[] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
const transaction: UnsignedTransaction = {
  chainId: 1,
  nonce: 0,
  to: null,
  data: '0x',
  value: 0n,
  gasLimit: 1n,
  fees: { type: 'legacy', gasPrice: 1n },
}

/** A source that can go away, counts how often it is asked, and can get other keys. */
function createSource(keys: readonly Hex[], isInMemory: boolean) {
  const state = { away: false, signs: 0, looks: 0, addresses: null as readonly Address[] | null, tell: () => {} }
  const signer = createLocalSigner(keys)
  const check = (): void => {
    if (state.away) throw new KeyStoreAway('signer.example does not respond: timed out')
  }
  const source: KeySource = {
    type: isInMemory ? 'keystore' : 'remote',
    place: 'somewhere',
    isInMemory,
    addresses: () => state.addresses ?? signer.addresses(),
    sign: async (address, asked) => {
      state.signs++
      if (!isInMemory) check()
      return await signer.sign(address, asked)
    },
    look: async () => {
      state.looks++
      check()
    },
    onChange: (listener) => {
      state.tell = listener
    },
    close: async () => {},
  }
  const [address = '0x'] = signer.addresses()
  return { source, state, address }
}

function setUp() {
  const [remote, folder] = [createSource(KEYS.slice(0, 1), false), createSource(KEYS.slice(1), true)]
  const clock = createManualClock()
  const telemetry = createRecordingTelemetry()
  const ring = createKeyRing([remote.source, folder.source], { clock, telemetry })
  let changes = 0
  ring.onChange(() => changes++)
  return { remote, folder, clock, telemetry, ring, changes: () => changes }
}

describe('a source that cannot sign', () => {
  test('is asked once, then fails at once until it responds; the others sign', async () => {
    const { remote, folder, clock, telemetry, ring, changes } = setUp()
    ring.start()
    await clock.settle()
    remote.state.away = true
    for (let count = 0; count < 3; count++)
      await expect(ring.sign(remote.address, transaction)).rejects.toThrow('signer.example does not respond')
    expect(remote.state.signs).toBe(1)
    await ring.sign(folder.address, transaction)
    expect(ring.find(remote.address)?.problem).toMatchObject({ message: expect.stringContaining('does not respond') })
    expect(ring.find(folder.address)?.problem).toBeNull()
    expect(telemetry.valueOf('drover_key_store_up', { source: 'remote' })).toBe(0)
    expect(telemetry.logs.filter(({ level }) => level === 'warn')).toHaveLength(1)
    await clock.advance(60_000)
    expect(changes()).toBe(0)
    remote.state.away = false
    await clock.advance(5_000)
    expect(changes()).toBe(1)
    await ring.sign(remote.address, transaction)
    expect(ring.find(remote.address)?.problem).toBeNull()
    expect(telemetry.valueOf('drover_key_store_up', { source: 'remote' })).toBe(1)
    await ring.close()
  })

  test('is not looked at more often the longer it is away', async () => {
    const { remote, clock, ring } = setUp()
    remote.state.away = true
    ring.start()
    await clock.advance(60_000)
    expect(remote.state.looks).toBeLessThan(20)
    await ring.close()
    const { looks } = remote.state
    await clock.advance(60_000)
    expect(remote.state.looks).toBe(looks)
  })
})

test('a source that refuses one key signs with its others, and only that key is reported', async () => {
  const { source, address: good } = createSource(KEYS, false)
  const bad = source.addresses()[1] ?? '0x'
  const state = { refuses: true, asked: 0 }
  const sign: KeySource['sign'] = async (address, asked) => {
    if (address !== bad || !state.refuses) return await source.sign(address, asked)
    state.asked++
    throw new KeyStoreAway('KMS refuses: DisabledException', { isOneKey: true })
  }
  const telemetry = createRecordingTelemetry()
  const clock = createManualClock()
  const ring = createKeyRing([{ ...source, sign }], { clock, telemetry })
  ring.start()
  await clock.settle()
  for (let count = 0; count < 2; count++) {
    await expect(ring.sign(bad, transaction)).rejects.toThrow('DisabledException')
    await ring.sign(good, transaction)
  }
  expect([ring.canSign(good), ring.canSign(bad), state.asked]).toEqual([true, false, 2])
  expect(ring.find(bad)?.problem).toMatchObject({ message: 'KMS refuses: DisabledException' })
  expect(telemetry.valueOf('drover_key_store_up', { source: 'remote' })).toBe(1)
  expect(telemetry.logs.filter(({ level }) => level === 'warn')).toHaveLength(1)
  state.refuses = false
  await ring.sign(bad, transaction)
  expect(ring.canSign(bad)).toBe(true)
  await ring.close()
})

test('keys in memory sign while their place is away, which is reported all the same', async () => {
  const { folder, clock, ring } = setUp()
  folder.state.away = true
  ring.start()
  await clock.settle()
  await ring.sign(folder.address, transaction)
  expect(ring.find(folder.address)?.problem).toBeNull()
  expect(ring.sources().find(({ source }) => source === 'keystore')).toMatchObject({
    keys: 1,
    problem: { message: expect.stringContaining('does not respond') },
  })
  await ring.close()
})

test('keys that come and go are known at once', async () => {
  const { folder, ring, changes } = setUp()
  expect(ring.addresses()).toHaveLength(2)
  folder.state.addresses = []
  folder.state.tell()
  expect([ring.addresses().length, changes()]).toEqual([1, 1])
  expect(ring.find(folder.address)).toBeNull()
  await expect(ring.sign(folder.address, transaction)).rejects.toBeInstanceOf(KeyStoreAway)
})

test('a check signs a challenge that can never be mined, and recovers the address', async () => {
  const { remote, folder, ring } = setUp()
  expect(await ring.check(folder.address, 1)).toMatchObject({ type: 'verified' })
  remote.state.away = true
  expect(await ring.check(remote.address, 1)).toEqual({
    type: 'failed',
    message: 'signer.example does not respond: timed out',
  })
  // A source that signs with the key of another account.
  const other = createLocalSigner(KEYS.slice(1))
  const liar = {
    ...folder.source,
    addresses: () => [remote.address],
    sign: () => other.sign(folder.address, transaction),
  }
  const clock = createManualClock()
  const wrong = createKeyRing([liar], { clock, telemetry: createRecordingTelemetry() })
  expect(await wrong.check(remote.address, 1)).toMatchObject({ type: 'failed' })
})
