/** Names of JSON-RPC methods. */
import { accept, refuse, type SettingType, splitList } from './setting-type.ts'

const NAME = /^[a-z0-9]+_[a-zA-Z0-9_]+$/
/** Managed or refused by the service itself: passing them on would send past it, or sign with a node's own keys. */
const NEVER_PASSED_ON = /^(?:personal_.*|eth_send.*|eth_sign.*)$/

export const methodList: SettingType<readonly string[]> = {
  label: 'comma-separated list of JSON-RPC methods',
  parse(input) {
    const names = splitList(input)
    if (names === null) return refuse('must be a list of JSON-RPC methods, separated by commas')
    const bad = names.findIndex((name) => !NAME.test(name))
    if (bad >= 0)
      return refuse(`must contain method names such as debug_traceTransaction; number ${bad + 1} is not one`)
    const barred = names.findIndex((name) => NEVER_PASSED_ON.test(name))
    if (barred >= 0) return refuse(`must not contain methods that send or sign; number ${barred + 1} does`)
    return accept([...new Set(names)])
  },
  print: (names) => (names.length === 0 ? 'none' : names.join(', ')),
}
