import { keccak_256 } from '@noble/hashes/sha3.js'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { timerIdOf } from '../set/timer-id.ts'
import { A, B } from '../small-world.suite.ts'
import { bytesOf, hexOf } from './hex.ts'
import { keccak256, useKeccak } from './keccak.ts'
import { MAX_WASM_INPUT, openWasmKeccak } from './keccak-wasm.ts'

afterEach(() => useKeccak(null))

describe('keccak256', () => {
  test('by WebAssembly is @noble/hashes to the byte', () => {
    const wasm = openWasmKeccak()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
        expect(hexOf(wasm(bytes))).toBe(hexOf(keccak_256(bytes)))
      }),
      { numRuns: 500 },
    )
    for (const length of [0, 135, 136, 137, MAX_WASM_INPUT]) {
      const bytes = new Uint8Array(length).fill(length)
      expect(hexOf(wasm(bytes))).toBe(hexOf(keccak_256(bytes)))
    }
  })
  test('takes input of any length', () => {
    for (const length of [MAX_WASM_INPUT, MAX_WASM_INPUT + 1, 300_000]) {
      const bytes = new Uint8Array(length).fill(7)
      expect(hexOf(keccak256(bytes))).toBe(hexOf(keccak_256(bytes)))
    }
  })
  test('another implementation can be plugged in, and is what ids are made with', () => {
    let calls = 0
    useKeccak((bytes) => {
      calls += 1
      return keccak_256(bytes)
    })
    const self = calls
    expect(timerIdOf({ chainId: 1n, owner: A, target: B, source: 'counter', n: 0n })).toBe(
      '0x52ea1e61831ce0cc49c03897645674348973286990319629cc62d7e10422b0cd',
    )
    expect(calls).toBe(self + 1)
  })
  test('one that computes something else is refused, and nothing changes', () => {
    expect(() => useKeccak(() => new Uint8Array(32))).toThrow(RangeError)
    expect(hexOf(keccak256(new Uint8Array(0)))).toBe(
      '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    )
  })
})

describe('hex', () => {
  test('bytes and text go over into one another', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 9_000 }), (bytes) => {
        expect(Buffer.from(bytesOf(hexOf(bytes), 2)).equals(bytes)).toBe(true)
      }),
    )
    expect(hexOf(bytesOf('00FFaB'))).toBe('0x00ffab')
    for (const bad of ['0g', 'ключ', '  ']) expect(() => bytesOf(bad)).toThrow(RangeError)
  })
})
