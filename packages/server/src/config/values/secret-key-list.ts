/** Keys that secrets in the database are stored under. Only their number is ever shown. */
import { accept, refuse, type SettingType, splitList } from './setting-type.ts'

export const secretKeyList: SettingType<readonly string[]> = {
  label: 'comma-separated list of keys, 32 bytes of hex each',
  parse(input) {
    const items = splitList(input)
    if (items === null) return refuse('must be one or more keys of 32 bytes in hex, separated by commas')
    const wrong = items.findIndex((item) => !/^[0-9a-f]{64}$/i.test(item))
    if (wrong !== -1)
      return refuse(`must contain keys of 32 bytes in hex; number ${wrong + 1} of ${items.length} is not one`)
    return accept(items.map((item) => item.toLowerCase()))
  },
  print: (keys) => (keys.length === 0 ? 'none' : keys.length === 1 ? '1 key' : `${keys.length} keys`),
}
