/** The finality rule as a setting: a number of confirmations, or the name of a tag that the chain itself keeps. */
import type { Finality } from '../../core/chain/finality.ts'
import { accept, refuse, type SettingType } from './setting-type.ts'

const MAX_CONFIRMATIONS = 100_000

export const finalityRule: SettingType<Finality> = {
  label: 'number of confirmations, `safe`, `finalized`',
  parse(input) {
    if (input === 'safe' || input === 'finalized') return accept({ type: input })
    const count = typeof input === 'string' && /^\d{1,6}$/.test(input.trim()) ? Number(input) : input
    if (typeof count !== 'number' || !Number.isInteger(count) || count < 0 || count > MAX_CONFIRMATIONS)
      return refuse(`must be a number of confirmations from 0 to ${MAX_CONFIRMATIONS}, or "safe", or "finalized"`)
    return accept({ type: 'confirmations', count })
  },
  print: (rule) => (rule.type === 'confirmations' ? String(rule.count) : rule.type),
}
