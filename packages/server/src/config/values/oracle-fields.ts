/** Where a gas oracle's answer has its prices: `maxFee=fast.maxFee,priorityFee=fast.maxPriorityFee`. */
import { accept, refuse, type SettingType, splitList } from './setting-type.ts'

export interface OracleFields {
  /** Names of fields, from the outside in. Null: the oracle does not have it. */
  readonly maxFee: readonly string[] | null
  readonly priorityFee: readonly string[] | null
}

export const ORACLE_UNITS = ['gwei', 'wei'] as const
export type OracleUnit = (typeof ORACLE_UNITS)[number]

const NAMES = ['maxFee', 'priorityFee'] as const
const PATH = /^[^.=,\s]{1,64}(\.[^.=,\s]{1,64}){0,9}$/

export const oracleFields: SettingType<OracleFields> = {
  label:
    '`maxFee=path,priorityFee=path`, at least one of them; a path has dots, such as `fast.maxFee` or `data.0.price`',
  parse(input) {
    const items = splitList(input)
    if (items === null || items.length === 0) return refuse('must be such as maxFee=fast.maxFee,priorityFee=fast.tip')
    const found = new Map<string, readonly string[]>()
    for (const [index, item] of items.entries()) {
      const place = `number ${index + 1} of ${items.length}`
      const [name = '', path = '', ...more] = item.split('=').map((part) => part.trim())
      if (!NAMES.some((known) => known === name) || found.has(name))
        return refuse(`must name ${NAMES.join(' and ')} once each; ${place} does not`)
      if (more.length > 0 || !PATH.test(path)) return refuse(`must have a path after each "="; ${place} has none`)
      found.set(name, path.split('.'))
    }
    return accept({ maxFee: found.get('maxFee') ?? null, priorityFee: found.get('priorityFee') ?? null })
  },
  print: (fields) =>
    NAMES.flatMap((name) => (fields[name] === null ? [] : [`${name}=${fields[name].join('.')}`])).join(','),
}
