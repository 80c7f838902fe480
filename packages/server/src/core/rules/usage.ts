/** How much of each cap is used, for people and for the page. */
import { type Ledger, ledgerKey, spentOf } from './ledger.ts'
import type { Caps, RuleSet } from './rule-set.ts'
import { type Measure, tokenMeasure } from './spending.ts'

export interface RuleUse {
  /** The field of the rule set, e.g. `value.perDay`. */
  readonly rule: string
  readonly chainId: number
  readonly limit: bigint
  readonly used: bigint
  readonly remaining: bigint
}

/** For each rolling cap and each chain where something was counted, or that is among `chains`. */
export function listUsage(rules: RuleSet, ledger: Ledger, chains: readonly number[], now: number): readonly RuleUse[] {
  const seen = Object.keys(ledger).map((key) => Number(key.split('/')[0]))
  const allowed = [...new Set([...chains, ...seen])].filter((id) => rules.chains === null || rules.chains.includes(id))
  return allowed
    .sort((a, b) => a - b)
    .flatMap((chainId) => {
      const of = (name: string, caps: Pick<Caps, 'perHour' | 'perDay'> | null, measure: Measure) =>
        caps === null ? [] : listCaps(name, caps, chainId, spentOf(ledger, ledgerKey(chainId, measure), now))
      return [
        ...of('value', rules.value, 'value'),
        ...of('gas', rules.gas, 'gas'),
        ...rules.tokens
          .filter((caps) => caps.chainId === null || caps.chainId === chainId)
          .flatMap((caps) => of(`tokens.${caps.token}`, caps, tokenMeasure(caps.token))),
        ...of('count', rules.count, 'count'),
      ]
    })
}

function listCaps(
  name: string,
  { perHour, perDay }: Pick<Caps, 'perHour' | 'perDay'>,
  chainId: number,
  spent: { readonly hour: bigint; readonly day: bigint },
): readonly RuleUse[] {
  const use = (rule: string, limit: bigint | null, used: bigint): readonly RuleUse[] =>
    limit === null ? [] : [{ rule, chainId, limit, used, remaining: used >= limit ? 0n : limit - used }]
  return [...use(`${name}.perHour`, perHour, spent.hour), ...use(`${name}.perDay`, perDay, spent.day)]
}
