/** Shares of the URLs of another list, in its order: `3,1,0`. At least one is not zero. */
import { accept, refuse, type SettingType, splitList } from './setting-type.ts'

const WEIGHT = /^\d{1,4}$/

export const weightList: SettingType<readonly number[]> = {
  label: 'comma-separated list of whole numbers, 0 to 9999',
  parse(input) {
    // In a file they may be numbers.
    const items = splitList(Array.isArray(input) ? input.map(String) : input)
    if (items === null || !items.every((item) => WEIGHT.test(item)))
      return refuse('must be whole numbers from 0 to 9999, separated by commas')
    const weights = items.map(Number)
    if (weights.length > 0 && weights.every((weight) => weight === 0)) return refuse('must have a number above 0')
    return accept(weights)
  },
  print: (weights) => weights.join(','),
}
