/** The spending rules of a signer, how much of each cap is used, and the form that changes them. */
import { useState } from 'preact/hooks'
import type { RulesResource } from '../../api/api-resources.ts'
import { formatCount, groupDigits } from '../../format/format-amount.ts'
import { formatSpan } from '../../format/format-time.ts'
import { shortenAddress } from '../../format/shorten.ts'
import { useWhyNot } from '../../live/rights.ts'
import { coinOf, nameChain } from '../../words/chain-names.ts'
import { listTransactionCaps, nameRule, type RuleSet } from '../../words/rule-words.ts'
import { NotAllowed } from '../allowed.tsx'
import { Fact, Facts } from '../facts.tsx'
import { Amount, Clock } from '../figures.tsx'
import { Opened } from '../opened.tsx'
import { RulesForm } from './rules-form.tsx'

type Use = RulesResource['usage'][number]

/** Amounts of chains with different coins are in "ether", the unit. */
const NO_CHAIN = 0
const SHOWN_TARGETS = 5
const NEARLY_USED = 0.9

interface RulesPanelProps {
  readonly address: string
  readonly shown: RulesResource
  /** The chains of the signer. */
  readonly chainIds: readonly number[]
}

export function RulesPanel({ address, shown, chainIds }: RulesPanelProps) {
  const [isOpen, setOpen] = useState(false)
  const why = useWhyNot('admin')
  const close = () => setOpen(false)
  const { rules, updatedAt, updatedBy } = shown
  return (
    <section class="panel" aria-labelledby="rules-title">
      <div class="panel-head">
        <h2 id="rules-title">Spending rules</h2>
        {rules?.mode === 'report' && <span class="tag is-warn">report only: nothing is refused</span>}
        {rules !== null && updatedAt !== null && (
          <span class="muted">
            set <Clock at={updatedAt} />
            {updatedBy !== null && ` by ${updatedBy}`}
          </span>
        )}
        {why === null && (
          <button
            type="button"
            class="button is-small panel-more"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {rules === null ? 'Set rules' : 'Change the rules'}
          </button>
        )}
      </div>
      {rules === null ? (
        <p class="panel-note muted">
          No rules: it may spend without limit. Rules cap what it sends per transaction, hour or day, say what it may
          call, and ask people to approve large amounts.
        </p>
      ) : (
        <RuleFacts rules={rules} usage={shown.usage} chainIds={chainIds} />
      )}
      {isOpen && why === null && (
        <Opened onClose={close}>
          <RulesForm address={address} rules={rules} onDone={close} />
        </Opened>
      )}
      {why !== null && <NotAllowed text={`Changing the rules ${why}`} />}
    </section>
  )
}

interface RuleFactsProps extends Pick<RulesPanelProps, 'chainIds'> {
  readonly rules: RuleSet
  readonly usage: readonly Use[]
}

function RuleFacts({ rules, usage, chainIds }: RuleFactsProps) {
  const { chains, contractCreation, tokens } = rules
  const chainId = findCommonChain(chainIds)
  return (
    <Facts>
      {listTransactionCaps(rules).map(({ rule, limit }) => (
        <Fact key={rule} name={nameRule(rule, tokens).name}>
          at most <Limit rule={rule} amount={limit} chainId={chainId} />
        </Fact>
      ))}
      {usage.map((use) => (
        <Fact key={`${use.rule} ${use.chainId}`} name={nameRule(use.rule, tokens).name}>
          <Usage use={use} name={nameRule(use.rule, tokens).name} />
        </Fact>
      ))}
      <ApprovalFacts rules={rules} chainId={chainId} />
      {chains !== null && <Fact name="Chains">{chains.map(nameChain).join(', ') || 'none'}</Fact>}
      <TargetFact targets={rules.targets} />
      {contractCreation !== null && (
        <Fact name="Contract creation">{contractCreation ? 'allowed' : 'not allowed'}</Fact>
      )}
    </Facts>
  )
}

function Usage({ use: { rule, chainId, used, limit }, name }: { readonly use: Use; readonly name: string }) {
  return (
    <>
      <Limit rule={rule} amount={used} chainId={chainId} /> of <Limit rule={rule} amount={limit} chainId={chainId} />{' '}
      <span class="muted">used on {nameChain(chainId)}</span>
      <meter
        class="rule-meter"
        aria-label={`${name} on ${nameChain(chainId)}`}
        max={1}
        high={NEARLY_USED}
        optimum={0}
        value={limit === '0' ? 1 : Math.min(1, Number(used) / Number(limit))}
      />
    </>
  )
}

function ApprovalFacts({
  rules: { approval, tokens },
  chainId,
}: {
  readonly rules: RuleSet
  readonly chainId: number
}) {
  const ruled = tokens.filter(({ approvalAbove }) => approvalAbove !== null)
  return (
    <>
      {approval !== null && (
        <Fact name="Approval">
          above <Amount wei={approval.above} chainId={chainId} />: {formatCount(approval.of)} of{' '}
          {approval.keys.join(', ')} <span class="muted">within {formatSpan(approval.expiresInMs)}</span>
        </Fact>
      )}
      {ruled.map(({ token, approvalAbove }) => (
        <Fact key={token} name={`Approval of ${shortenAddress(token)}`}>
          above <span class="figure">{groupDigits(approvalAbove ?? '')}</span>{' '}
          <span class="muted">of the token's smallest unit</span>
        </Fact>
      ))}
    </>
  )
}

function TargetFact({ targets }: { readonly targets: RuleSet['targets'] }) {
  if (targets === null) return null
  const hidden = targets.length - SHOWN_TARGETS
  return (
    <Fact name="May call">
      {targets.length === 0 && 'nothing'}
      <ul>
        {targets.slice(0, SHOWN_TARGETS).map(({ to, selectors, chainId }) => (
          <li key={`${to} ${chainId}`}>
            <span class="mono" title={to}>
              {shortenAddress(to)}
            </span>{' '}
            <span class="muted">
              {selectors === null ? 'anything' : selectors.join(', ') || 'nothing'}
              {chainId !== null && ` on ${nameChain(chainId)}`}
            </span>
          </li>
        ))}
      </ul>
      {hidden > 0 && <span class="muted">and {formatCount(hidden)} more</span>}
    </Fact>
  )
}

function Limit({
  rule,
  amount,
  chainId,
}: {
  readonly rule: string
  readonly amount: string
  readonly chainId: number
}) {
  if (nameRule(rule, []).isWei) return <Amount wei={amount} chainId={chainId} />
  return <span class="figure">{groupDigits(amount)}</span>
}

function findCommonChain(chainIds: readonly number[]): number {
  const isCommon = new Set(chainIds.map(coinOf)).size === 1
  return isCommon ? (chainIds[0] ?? NO_CHAIN) : NO_CHAIN
}
