/** The spending rules of a signer: how much of each cap is used. Nothing is shown where it has none. */
import type { RulesResource } from '../../api/api-resources.ts'
import { groupDigits } from '../../format/format-amount.ts'
import { nameChain } from '../../words/chain-names.ts'
import { Fact, Facts } from '../facts.tsx'
import { Amount } from '../figures.tsx'

type Use = RulesResource['usage'][number]

export function RulesPanel({ shown: { rules, usage } }: { readonly shown: RulesResource }) {
  if (rules === null) return null
  const { approval } = rules
  return (
    <section class="panel" aria-labelledby="rules-title">
      <div class="panel-head">
        <h2 id="rules-title">Spending rules</h2>
        {rules.mode === 'report' && <span class="tag is-warn">report only</span>}
      </div>
      <Facts>
        {usage.map((use) => (
          <Fact key={`${use.rule} ${use.chainId}`} name={use.rule}>
            <Figure use={use} of="used" /> of <Figure use={use} of="limit" />{' '}
            <span class="muted">used on {nameChain(use.chainId)}</span>
          </Fact>
        ))}
        {rules.targets !== null && <Fact name="Targets">{groupDigits(String(rules.targets.length))} allowed</Fact>}
        {approval !== null && (
          <Fact name="Approval">
            {approval.of} of {approval.keys.join(', ')}
          </Fact>
        )}
      </Facts>
    </section>
  )
}

function Figure({ use, of }: { readonly use: Use; readonly of: 'used' | 'limit' }) {
  const isWei = use.rule.startsWith('value.') || use.rule.startsWith('gas.')
  return isWei ? <Amount wei={use[of]} chainId={use.chainId} /> : <span class="figure">{groupDigits(use[of])}</span>
}
