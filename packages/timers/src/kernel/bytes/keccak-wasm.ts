/**
 * Keccak-256 in WebAssembly, assembled here so that it is ready without waiting for anything to load.
 *
 * Memory: the digest at 0, the 24 round constants at 64, padded input from 1024 on. The module's one function takes a
 * number of 136-byte blocks and keeps the 25 lanes in locals all the way: θ, ρ and π, χ, ι of FIPS 202, written out
 * once inside a loop over the rounds.
 */

export type Keccak256 = (bytes: Uint8Array) => Uint8Array

const RATE = 136
const INPUT = 1_024
const CONSTANTS = 64
const PAGE = 65_536

/** Longer input goes elsewhere: it is rare, and memory stays at one page. */
export const MAX_WASM_INPUT = Math.floor((PAGE - INPUT) / RATE) * RATE - 1

const OP = { block: 0x02, loop: 0x03, end: 0x0b, brIf: 0x0d, get: 0x20, set: 0x21, tee: 0x22 } as const
const I32 = { load: 0x28, const: 0x41, ltU: 0x49, add: 0x6a, sub: 0x6b } as const
const I64 = { load: 0x29, store: 0x37, const: 0x42, and: 0x83, or: 0x84, xor: 0x85, rotl: 0x89 } as const

/** Locals: the parameter, then five numbers of 32 bits, then lanes. */
const LEFT = 0
const AT = 1
const ROUND = 2
const A = (n: number) => 3 + n
const B = (n: number) => 28 + n
const C = (n: number) => 53 + n
const LOCALS_I64 = 25 + 25 + 5

function leb(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
    rest >>>= 7
  } while (rest > 0)
  return bytes
}

/** Signed, for constants: one more byte where the top bit would be read as a sign. */
function sleb(value: number): number[] {
  const bytes = leb(value)
  const last = bytes.length - 1
  if (((bytes[last] ?? 0) & 0x40) === 0) return bytes
  bytes[last] = (bytes[last] ?? 0) | 0x80
  return [...bytes, 0]
}

const get = (local: number) => [OP.get, ...leb(local)]
const set = (local: number) => [OP.set, ...leb(local)]
const i32 = (value: number) => [I32.const, ...sleb(value)]
const section = (id: number, content: readonly number[]) => [id, ...leb(content.length), ...content]

/** ρ and π: where each lane goes, and by how much it turns on its way. */
function listMoves(): { readonly from: number; readonly to: number; readonly turn: number }[] {
  const moves = [{ from: 0, to: 0, turn: 0 }]
  let x = 1
  let y = 0
  for (let t = 0; t < 24; t += 1) {
    const next = (2 * x + 3 * y) % 5
    moves.push({ from: x + 5 * y, to: y + 5 * next, turn: (((t + 1) * (t + 2)) / 2) % 64 })
    x = y
    y = next
  }
  return moves
}

function listRoundConstants(): Uint8Array {
  const bytes = new Uint8Array(24 * 8)
  const view = new DataView(bytes.buffer)
  let lfsr = 1
  for (let round = 0; round < 24; round += 1) {
    let constant = 0n
    for (let j = 0; j < 7; j += 1) {
      if ((lfsr & 1) === 1) constant ^= 1n << ((1n << BigInt(j)) - 1n)
      lfsr = (lfsr << 1) ^ ((lfsr >>> 7) * 0x171)
    }
    view.setBigUint64(round * 8, constant, true)
  }
  return bytes
}

function absorb(): number[] {
  const lanes = Array.from({ length: 17 }, (_, n) => [
    ...get(A(n)),
    ...get(AT),
    ...[I64.load, 3, ...leb(INPUT + n * 8)],
    I64.xor,
    ...set(A(n)),
  ])
  return lanes.flat()
}

function round(): number[] {
  const code: number[] = []
  for (let x = 0; x < 5; x += 1) {
    code.push(...get(A(x)))
    for (let y = 1; y < 5; y += 1) code.push(...get(A(x + 5 * y)), I64.xor)
    code.push(...set(C(x)))
  }
  for (const { from, to, turn } of listMoves()) {
    const x = from % 5
    code.push(...get(A(from)), ...get(C((x + 4) % 5)), I64.xor)
    code.push(...get(C((x + 1) % 5)), I64.const, 1, I64.rotl, I64.xor)
    if (turn > 0) code.push(I64.const, ...sleb(turn), I64.rotl)
    code.push(...set(B(to)))
  }
  for (let n = 0; n < 25; n += 1) {
    const row = n - (n % 5)
    code.push(...get(B(n)), ...get(B(row + ((n + 1) % 5))), I64.const, 0x7f, I64.xor)
    code.push(...get(B(row + ((n + 2) % 5))), I64.and, I64.xor, ...set(A(n)))
  }
  code.push(...get(A(0)), ...get(ROUND), I64.load, 3, ...leb(CONSTANTS), I64.xor, ...set(A(0)))
  return code
}

function assemble(): Uint8Array {
  const store = Array.from({ length: 4 }, (_, n) => [...i32(0), ...get(A(n)), I64.store, 3, ...leb(n * 8)]).flat()
  const body = [
    ...[2, 2, 0x7f, ...leb(LOCALS_I64), 0x7e],
    ...[OP.loop, 0x40],
    ...absorb(),
    ...i32(0),
    ...set(ROUND),
    ...[OP.loop, 0x40],
    ...round(),
    ...[...get(ROUND), ...i32(8), I32.add, OP.tee, ...leb(ROUND), ...i32(24 * 8), I32.ltU, OP.brIf, 0],
    OP.end,
    ...[...get(AT), ...i32(RATE), I32.add, ...set(AT)],
    ...[...get(LEFT), ...i32(1), I32.sub, OP.tee, ...leb(LEFT), OP.brIf, 0],
    OP.end,
    ...store,
    OP.end,
  ]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 1, 0x7f, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, 1, 0x6d, 2, 0, 1, 0x66, 0, 0]),
    ...section(10, [1, ...leb(body.length), ...body]),
    ...section(11, [1, 0, ...i32(CONSTANTS), OP.end, ...leb(24 * 8), ...listRoundConstants()]),
  ])
}

/** The little of WebAssembly that is used, since its types come with a browser or with Node. */
interface Wasm {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (
    module: object,
  ) => { readonly exports: { readonly m: { readonly buffer: ArrayBuffer }; f(blocks: number): void } }
}

/** Throws where WebAssembly is missing or forbidden. */
export function openWasmKeccak(): Keccak256 {
  const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Wasm }
  const { m: memory, f: run } = new wasm.Instance(new wasm.Module(assemble())).exports
  const bytes = new Uint8Array(memory.buffer)
  return (input) => {
    const blocks = Math.floor(input.length / RATE) + 1
    const end = INPUT + blocks * RATE
    bytes.set(input, INPUT)
    bytes.fill(0, INPUT + input.length, end)
    bytes[INPUT + input.length] = 1
    bytes[end - 1] = (bytes[end - 1] ?? 0) | 0x80
    run(blocks)
    return bytes.slice(0, 32)
  }
}
