/** Values of command-line options, read by the same types as settings, so that both refuse in the same words. */

import { parseAmount } from '@drover/server/core'
import { duration, integer, type SettingType } from '@drover/server/settings'
import { InvalidArgumentError } from 'commander'

const DAY_MS = 24 * 60 * 60 * 1_000

export function readBy<T>(type: SettingType<T>): (text: string) => T {
  return (text) => {
    const parsed = type.parse(text)
    if (!parsed.ok) throw new InvalidArgumentError(`It ${parsed.problem}.`)
    return parsed.value
  }
}

export const readChainId = readBy(integer(1, Number.MAX_SAFE_INTEGER))
export const readCount = (min: number, max: number) => readBy(integer(min, max))
export const readDuration = readBy(duration(1, 365 * DAY_MS))

/** As a decimal string of wei, which is what the service takes. */
export function readAmount(text: string): string {
  const amount = parseAmount(text)
  if (typeof amount === 'bigint') return amount.toString()
  throw new InvalidArgumentError(`It ${amount.problem}.`)
}

export function readFinality(text: string): number | 'safe' | 'finalized' {
  if (text === 'safe' || text === 'finalized') return text
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a number of confirmations, safe, or finalized.')
}

/** ISO 8601 with a zone. */
export function readInstant(text: string): string {
  const at = findInstant(text)
  if (at === null)
    throw new InvalidArgumentError('It must be an ISO 8601 time with a time zone (2030-01-31T12:00:00Z).')
  return at
}

/** An instant, or how long from now (`10m`) or, with -1, ago. */
export function readInstantOrSpan(direction: 1 | -1): (text: string) => string {
  return (text) => {
    const at = findInstant(text)
    if (at !== null) return at
    const span = duration(1, 365 * DAY_MS).parse(text)
    if (span.ok && !/^\d+$/.test(text.trim())) return new Date(Date.now() + direction * span.value).toISOString()
    throw new InvalidArgumentError('It must be a duration (10m, 2h) or an ISO 8601 time with a time zone.')
  }
}

function findInstant(text: string): string | null {
  const shape = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/
  const ms = shape.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

/** For an option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text]
}

/** For `--metadata k=v`, several times. */
export function collectEntries(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It must have the form name=value.')
  // Not by assignment: a name like __proto__ is a name too.
  return Object.fromEntries([...Object.entries(before), [text.slice(0, at), text.slice(at + 1)]])
}
