/** Reads named fields of parsed JSON, collecting what is wrong by path instead of stopping at the first fault. */

import { U128_MAX, U256_MAX } from '../kernel/bytes/limits.ts'
import { findInteger } from '../kernel/set/read-arguments.ts'

export interface FieldProblem {
  /** As one would write it: `timers[2].bid`; empty for the whole document. */
  readonly path: string
  readonly message: string
}

interface IntegerRule {
  readonly min: number
  readonly max: number
  readonly otherwise?: number
}

export interface FieldReader {
  names(): readonly string[]
  /** Reports unknown fields. */
  only(names: readonly string[]): void
  report(field: string, message: string): void
  /** True while nothing under this object was reported. */
  clean(): boolean
  text(field: string, otherwise?: string): string
  texts(field: string): readonly string[]
  flag(field: string): boolean
  integer(field: string, rule: IntegerRule): number
  bigint(field: string, otherwise: bigint, rule?: { readonly signed?: boolean }): bigint
  bigints(field: string): readonly bigint[]
  /** A decimal such as "0.25" as a Q32.96 number. */
  fixedPoint(field: string, otherwise: bigint): bigint
  object(field: string): FieldReader
  list(field: string): readonly FieldReader[]
}

export function createFieldReader(value: unknown, path: string, problems: FieldProblem[]): FieldReader {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const fields = (isObject ? value : {}) as Readonly<Record<string, unknown>>
  const before = problems.length
  const pathOf = (field: string) => (field === '' ? path : path === '' ? field : `${path}.${field}`)
  const report = (field: string, message: string) => void problems.push({ path: pathOf(field), message })
  if (!isObject) report('', 'must be an object')

  function read<T>(
    field: string,
    otherwise: T | undefined,
    fallback: T,
    parse: (given: unknown) => T | null,
    need: string,
  ): T {
    const given = fields[field]
    if (given === undefined && otherwise !== undefined) return otherwise
    const parsed = given === undefined ? null : parse(given)
    if (parsed === null) report(field, given === undefined ? `is missing: ${need}` : `must be ${need}`)
    return parsed ?? fallback
  }

  return {
    names: () => Object.keys(fields),
    only(names) {
      for (const name of Object.keys(fields))
        if (!names.includes(name)) report(name, `is not known here; known are ${names.join(', ')}`)
    },
    report,
    clean: () => problems.length === before,
    text: (field, otherwise) =>
      read(field, otherwise, '', (given) => (typeof given === 'string' && given !== '' ? given : null), 'a text'),
    texts: (field) => read(field, undefined, [], findTexts, 'a list of texts'),
    flag: (field) => read(field, false, false, (given) => (typeof given === 'boolean' ? given : null), 'true or false'),
    integer: (field, { min, max, otherwise }) =>
      read(
        field,
        otherwise,
        min,
        (given) =>
          typeof given === 'number' && Number.isSafeInteger(given) && given >= min && given <= max ? given : null,
        `a whole number from ${min} to ${max}`,
      ),
    bigint: (field, otherwise, { signed = false } = {}) =>
      read(
        field,
        otherwise,
        otherwise,
        (given) => findSigned(given, signed),
        'a whole number, as text where it is large',
      ),
    bigints: (field) => read(field, undefined, [], findBigints, 'a list of whole numbers'),
    fixedPoint: (field, otherwise) =>
      read(field, otherwise, otherwise, findFixedPoint, 'a decimal of at most 18 places, as text, such as "0.25"'),
    object: (field) => createFieldReader(fields[field] ?? {}, pathOf(field), problems),
    list(field) {
      const given = fields[field] ?? []
      if (!Array.isArray(given)) report(field, 'must be a list')
      const items: readonly unknown[] = Array.isArray(given) ? given : []
      return items.map((item, index) => createFieldReader(item, `${pathOf(field)}[${index}]`, problems))
    },
  }
}

function findTexts(given: unknown): readonly string[] | null {
  return Array.isArray(given) && given.every((item) => typeof item === 'string') ? given : null
}

function findBigints(given: unknown): readonly bigint[] | null {
  if (!Array.isArray(given)) return null
  const numbers = given.map((item: unknown) => findSigned(item, false))
  return numbers.some((each) => each === null) ? null : numbers.flatMap((each) => each ?? [])
}

function findSigned(given: unknown, signed: boolean): bigint | null {
  const text = typeof given === 'number' ? (Number.isSafeInteger(given) ? String(given) : '') : given
  if (signed && typeof text === 'string' && text.startsWith('-')) {
    const positive = findInteger(text.slice(1), U256_MAX)
    return positive === null ? null : -positive
  }
  return findInteger(text, U256_MAX)
}

function findFixedPoint(given: unknown): bigint | null {
  const match =
    typeof given === 'string' || typeof given === 'number' ? /^(\d{1,12})(?:\.(\d{1,18}))?$/.exec(String(given)) : null
  if (match === null) return null
  const [, whole = '0', part = ''] = match
  const scaled = (BigInt(whole + part) << 96n) / 10n ** BigInt(part.length)
  return scaled > U128_MAX ? null : scaled
}
