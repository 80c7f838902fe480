/** Rules for people: the limits, and how much of each is used. */
import type { Rules } from '@drover/client'
import { checksumText } from '@drover/server/contract'
import { formatAmount, type SubjectId, spellSubject } from '@drover/server/core'
import { type Field, presentFields } from '../output/present-fields.ts'
import { type Column, presentTable } from '../output/present-table.ts'
import type { Style } from '../output/style.ts'

type Use = Rules['usage'][number]

export function presentRules({ subject, rules, usage, updatedAt, updatedBy }: Rules, style: Style): string {
  const whose = checksumText(spellSubject(subject as SubjectId))
  if (rules === null) return `The ${whose} has no spending rules.`
  const fields: readonly Field[] = [
    ['rules of', whose],
    ['mode', rules.mode === 'report' ? 'report: nothing is refused' : 'enforce'],
    ['chains', rules.chains?.join(', ')],
    ['targets', rules.targets?.map(spellTarget).join(', ')],
    ['contract creation', rules.contractCreation === null ? null : rules.contractCreation ? 'allowed' : 'refused'],
    ['value', spellCaps(rules.value, formatAmount)],
    ['gas', spellCaps(rules.gas, formatAmount)],
    ['tokens', rules.tokens.map((caps) => `${caps.token} (${spellCaps(caps, String) ?? 'approval only'})`).join(', ')],
    ['count', spellCaps(rules.count, String)],
    [
      'approval',
      rules.approval &&
        `${rules.approval.of} of ${rules.approval.keys.join(', ')} above ${formatAmount(rules.approval.above)}`,
    ],
    ['set', `${updatedAt} by ${updatedBy}`],
  ]
  const table = usage.length === 0 ? [] : ['', presentTable(COLUMNS, usage, style)]
  return [presentFields(fields, style), ...table].join('\n')
}

const COLUMNS: readonly Column<Use>[] = [
  { heading: 'RULE', isWhole: true, cell: ({ rule }) => spellRule(rule) },
  { heading: 'CHAIN', align: 'right', cell: ({ chainId }) => String(chainId) },
  { heading: 'USED', align: 'right', cell: (use) => spellFor(use, use.used) },
  { heading: 'LIMIT', align: 'right', cell: (use) => spellFor(use, use.limit) },
  { heading: 'LEFT', align: 'right', cell: (use) => spellFor(use, use.remaining) },
]

const MEASURES: Readonly<Record<string, string>> = { value: 'Value', gas: 'Fees', count: 'Transactions' }
const SPANS: Readonly<Record<string, string>> = {
  perTransaction: 'per transaction',
  perHour: 'per hour',
  perDay: 'per day',
}

/** `value.perDay` is "Value per day", as on the page. */
export function spellRule(rule: string): string {
  const [field = '', ...rest] = rule.split('.')
  const measure = field === 'tokens' ? `Token ${checksumText(rest[0] ?? '')}` : MEASURES[field]
  const span = SPANS[rest.at(-1) ?? '']
  return measure === undefined || span === undefined ? checksumText(rule) : `${measure} ${span}`
}

/** Of value and gas in ETH; of tokens and counts as they are. */
function spellFor({ rule }: Use, amount: string): string {
  return rule.startsWith('value.') || rule.startsWith('gas.') ? formatAmount(amount) : amount
}

interface SomeCaps {
  readonly perTransaction?: string | null
  readonly perHour: string | null
  readonly perDay: string | null
}

function spellCaps(caps: SomeCaps | null, spell: (amount: string) => string): string | null {
  if (caps === null) return null
  const { perTransaction = null, perHour, perDay } = caps
  const parts = [
    ...(perTransaction === null ? [] : [`${spell(perTransaction)} per transaction`]),
    ...(perHour === null ? [] : [`${spell(perHour)} per hour`]),
    ...(perDay === null ? [] : [`${spell(perDay)} per day`]),
  ]
  return parts.length === 0 ? null : parts.join(', ')
}

function spellTarget({ to, selectors }: { readonly to: string; readonly selectors: readonly string[] | null }): string {
  return selectors === null ? to : `${to} (${selectors.join(' ')})`
}
