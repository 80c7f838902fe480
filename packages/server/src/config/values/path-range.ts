/** A range of BIP-32 paths: `m/44'/60'/0'/0/0..9`. */
import { accept, refuse, type SettingType } from './setting-type.ts'

export interface PathRange {
  readonly parent: string
  readonly first: number
  readonly last: number
}

const PATH = /^(m(?:\/\d{1,9}'?)*)\/(\d{1,9})(?:\.\.(\d{1,9}))?$/
const MAX_ACCOUNTS = 1_000

export const pathRange: SettingType<PathRange> = {
  label: "BIP-32 path whose last part may be a range, such as `m/44'/60'/0'/0/0..9`",
  parse(input) {
    const [, parent, from, to = from] = PATH.exec(typeof input === 'string' ? input.trim() : '') ?? []
    if (parent === undefined) return refuse("must be a path such as m/44'/60'/0'/0/0..9")
    const [first, last] = [Number(from), Number(to)]
    if (last < first || last - first >= MAX_ACCOUNTS) return refuse(`must be a range of 1 to ${MAX_ACCOUNTS} accounts`)
    return accept({ parent, first, last })
  },
  print: ({ parent, first, last }) => `${parent}/${first === last ? first : `${first}..${last}`}`,
}
