/** Every way of signing gives the bytes that viem gives, over random transactions of every type. */
import { serializeTransaction, type TransactionSerializable } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { AccessList } from '../core/chain/access-list.ts'
import { type Hex, toAddress } from '../core/hex.ts'
import type { UnsignedTransaction } from '../ports/signer.ts'
import { CURVES, JAVASCRIPT_CURVE, openCurve } from './curve.ts'
import { JAVASCRIPT_KECCAK, openKeccak } from './keccak.ts'
import { createLocalSigner } from './local-signer.ts'
import { describeKit, JAVASCRIPT_KIT, openSigningKit, type SigningKit } from './signing-kit.ts'

const TRANSACTIONS = 10_000
/** What viem signs by itself, key and all; of the others it serialises fields and signature. */
const WHOLLY_BY_VIEM = 300

const random = createRandom(20)
const keys = Array.from({ length: 20 }, () => randomHex(32))
const accounts = keys.map((key) => privateKeyToAccount(key))
const wasm: SigningKit = { curve: await openCurve(CURVES.slice(1)), keccak: await openKeccak() }
const kits: readonly SigningKit[] = [await openSigningKit(), wasm, JAVASCRIPT_KIT]

/** Elsewhere the native library has to be compiled, which not every machine can. */
const hasNativeBuild = ['linux-x64', 'darwin-arm64', 'win32-x64'].includes(`${process.platform}-${process.arch}`)

test.runIf(hasNativeBuild)('each kit is another one', () => {
  expect(kits.map(describeKit)).toEqual([
    'secp256k1: native (libsecp256k1); keccak: WebAssembly (hash-wasm)',
    'secp256k1: WebAssembly (tiny-secp256k1); keccak: WebAssembly (hash-wasm)',
    'secp256k1: JavaScript (@noble/curves); keccak: JavaScript (@noble/hashes)',
  ])
})

test(`${TRANSACTIONS} random transactions: byte for byte what viem makes`, { timeout: 600_000 }, async () => {
  const signers = kits.map((kit) => createLocalSigner(keys, kit))
  const types = new Set<string>()
  for (let index = 0; index < TRANSACTIONS; index++) {
    const account = accounts[index % accounts.length]
    const key = keys[index % keys.length]
    if (account === undefined || key === undefined) throw new Error('there is no such key')
    const transaction = randomTransaction()
    const viem = toViem(transaction)
    types.add(`${viem.type}${transaction.to === null ? ', a deployment' : ''}`)
    // JavaScript is slow: later on it is the measure only, and no longer measured itself.
    const isWhole = index < WHOLLY_BY_VIEM
    const expected = isWhole ? await account.signTransaction(viem) : serialiseWith(viem, key)
    const hash = JAVASCRIPT_KECCAK.hashToHex(Buffer.from(expected.slice(2), 'hex'))
    for (const signer of isWhole ? signers : signers.slice(0, 2)) {
      expect(await signer.sign(toAddress(account.address), transaction)).toEqual({ raw: expected, hash })
    }
  }
  expect([...types].sort()).toEqual(
    ['eip1559', 'eip2930', 'legacy'].flatMap((type) => [type, `${type}, a deployment`]).sort(),
  )
})

describe('a library that is not right on this machine', () => {
  test('is not used: signatures that differ', async () => {
    const wrong = async () => ({
      ...JAVASCRIPT_CURVE,
      name: 'wrong',
      sign: () => ({ bytes: new Uint8Array(64), recovery: 0 }),
    })
    expect(await openCurve([wrong])).toBe(JAVASCRIPT_CURVE)
    const high = async () => ({
      ...JAVASCRIPT_CURVE,
      name: 'other recovery',
      sign: (digest: Uint8Array, privateKey: Uint8Array) => ({
        ...JAVASCRIPT_CURVE.sign(digest, privateKey),
        recovery: 0,
      }),
    })
    expect(await openCurve([high])).toBe(JAVASCRIPT_CURVE)
    const stranger = async () => ({ ...JAVASCRIPT_CURVE, name: 'other key', publicKey: () => new Uint8Array(64) })
    expect(await openCurve([stranger])).toBe(JAVASCRIPT_CURVE)
  })

  test('is not used: one that cannot be loaded or throws; the next one is', async () => {
    const missing = () => Promise.reject(new Error('no native build was found'))
    expect(await openCurve([missing])).toBe(JAVASCRIPT_CURVE)
    const broken = async () => ({ ...JAVASCRIPT_CURVE, name: 'broken', sign: () => expect.fail('illegal instruction') })
    expect((await openCurve([missing, broken, ...CURVES.slice(1)])).name).toContain('WebAssembly')
  })

  test('is not used: hashes that differ', async () => {
    const { hash } = JAVASCRIPT_KECCAK
    const wrong = async () => ({ name: 'wrong', hash, hashToHex: () => `0x${'00'.repeat(32)}` as const })
    expect(await openKeccak([wrong])).toBe(JAVASCRIPT_KECCAK)
  })
})

function serialiseWith(viem: TransactionSerializable, key: Hex): Hex {
  const digest = JAVASCRIPT_KECCAK.hash(Buffer.from(serializeTransaction(viem).slice(2), 'hex'))
  const { bytes, recovery } = JAVASCRIPT_CURVE.sign(digest, Buffer.from(key.slice(2), 'hex'))
  const digits = Buffer.from(bytes).toString('hex')
  const [r, s]: readonly Hex[] = [`0x${digits.slice(0, 64)}`, `0x${digits.slice(64)}`]
  if (r === undefined || s === undefined) throw new Error('there is no signature')
  return serializeTransaction(viem, { r, s, yParity: recovery, v: BigInt(27 + recovery) })
}

function randomTransaction(): UnsignedTransaction {
  const isLegacy = random() < 0.5
  const hasList = random() < 0.4
  const priority = randomBig()
  return {
    chainId: 1 + Math.floor(random() * 2 ** Math.floor(random() * 40)),
    nonce: Math.floor(random() * 2 ** Math.floor(random() * 33)),
    to: random() < 0.1 ? null : randomHex(20),
    data: randomHex(pickLength()),
    value: randomBig(),
    gasLimit: BigInt(Math.floor(random() * 2 ** Math.floor(random() * 32))),
    fees: isLegacy
      ? { type: 'legacy', gasPrice: randomBig() }
      : { type: 'eip1559', maxPriorityFeePerGas: priority, maxFeePerGas: priority + randomBig() },
    ...(hasList && { accessList: randomList(isLegacy) }),
  }
}

/** viem takes a legacy transaction with an empty list for one without. */
function randomList(isLegacy: boolean): AccessList {
  const entries = Math.floor(random() * 4) + (isLegacy ? 1 : 0)
  return Array.from({ length: entries }, () => ({
    address: randomHex(20),
    storageKeys: Array.from({ length: Math.floor(random() ** 3 * 12) }, () => randomHex(32)),
  }))
}

function toViem({ gasLimit: gas, fees, accessList, to, ...rest }: UnsignedTransaction) {
  const shared = { ...rest, gas, ...(to !== null && { to }), ...(accessList !== undefined && { accessList }) }
  if (fees.type === 'eip1559') return { ...shared, ...fees }
  const { gasPrice } = fees
  return accessList === undefined
    ? { ...rest, gas, ...(to !== null && { to }), gasPrice, type: 'legacy' as const }
    : { ...shared, accessList, gasPrice, type: 'eip2930' as const }
}

/** Lengths around those at which RLP changes its form, short ones most. */
function pickLength(): number {
  const chance = random()
  if (chance < 0.3) return 0
  if (chance < 0.6) return Math.floor(random() * 70)
  if (chance < 0.95) return 50 + Math.floor(random() * 300)
  return Math.floor(random() * 70_000)
}

function randomBig(): bigint {
  const bytes = Math.floor(random() * 13)
  return bytes === 0 ? BigInt(Math.floor(random() * 3) * 127) : BigInt(randomHex(bytes))
}

function randomHex(bytes: number): Hex {
  return `0x${Buffer.from(Array.from({ length: bytes }, () => Math.floor(random() * 256))).toString('hex')}`
}

function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
