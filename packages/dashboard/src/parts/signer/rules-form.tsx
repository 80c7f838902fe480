/** Changes the spending rules of a signer, as JSON: what would change is shown before it is saved, with a reason. */
import { useContext, useState } from 'preact/hooks'
import type { RulesResource } from '../../api/api-resources.ts'
import { formatAmount } from '../../format/format-amount.ts'
import { Service } from '../../live/service.ts'
import { useAct } from '../../live/use-act.ts'
import { nameRule } from '../../words/rule-words.ts'
import { diffRules, type RuleChange, readRules, spellRules } from '../../words/rules-change.ts'
import { announce } from '../announcer.tsx'
import { FormActions } from '../form-actions.tsx'
import { FormField, TextInput } from '../form-field.tsx'

interface RulesFormProps {
  readonly address: string
  readonly rules: RulesResource['rules']
  onDone(): void
}

export function RulesForm({ address, rules, onDone }: RulesFormProps) {
  const { api } = useContext(Service)
  const { isBusy, problem, act, forget } = useAct()
  const [before, setBefore] = useState(rules)
  const [text, setText] = useState(() => spellRules(rules))
  const [reason, setReason] = useState('')
  const read = readRules(text)
  const changes = read.type === 'rules' ? diffRules(before, read.value) : []
  // The whole set is replaced, so what somebody else has changed meanwhile would be undone.
  const isOutdated = spellRules(before) !== spellRules(rules)
  const canSave = !isBusy && !isOutdated && changes.length > 0 && reason.trim() !== ''
  // A set that limits nothing would still be a set. Without any rule there is none.
  const isCleared = read.type === 'rules' && Object.keys(read.value).length === 0

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (!canSave || read.type !== 'rules') return
    const save = () => (isCleared ? api.clearRules(address, reason) : api.setRules(address, read.value, reason))
    if ((await act(save)) === null) return
    announce('Spending rules saved')
    onDone()
  }

  function startAgain(): void {
    setBefore(rules)
    setText(spellRules(rules))
  }

  return (
    <form class="panel form-panel policy-form" onSubmit={submit} noValidate aria-label="Spending rules">
      <FormField
        id="rules-text"
        label="Rules as JSON, amounts in wei. What you leave out is not limited; {} removes all rules."
        problem={read.type === 'unreadable' ? read.why : null}
      >
        {(control) => (
          <textarea
            class="input mono"
            {...control}
            rows={14}
            spellcheck={false}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value)
              forget()
            }}
          />
        )}
      </FormField>
      <p class="muted">
        For example <code>{'{"value": {"perDay": "5000000000000000000"}, "count": {"perHour": "100"}}'}</code>: at most
        5 ETH a day and 100 transactions an hour. All fields: <a href="/docs#setSignerRules">docs</a>.
      </p>
      {isOutdated && (
        <p class="outcome is-warn" role="alert">
          Somebody has changed the rules since you opened this.{' '}
          <button type="button" class="link-button" onClick={startAgain}>
            Start again from the new ones
          </button>
        </p>
      )}
      <Changes changes={changes} />
      <FormField id="rules-reason" label="Reason (stored in the audit log)" problem={null}>
        {(control) => <TextInput control={control} value={reason} onType={setReason} isProse />}
      </FormField>
      <FormActions
        submit={
          isCleared && before !== null
            ? 'Remove all rules'
            : changes.length === 1
              ? 'Save 1 change'
              : `Save ${changes.length} changes`
        }
        canSubmit={canSave}
        problem={problem}
        onClose={onDone}
      />
    </form>
  )
}

function Changes({ changes }: { readonly changes: readonly RuleChange[] }) {
  if (changes.length === 0) return <p class="muted">Nothing is changed yet.</p>
  return (
    <ul class="diff" aria-label="What changes">
      {changes.map(({ field, from, to }) => (
        <li key={field}>
          <span>{nameRule(field, []).name}</span>
          <del>{spellLimit(field, from)}</del>
          <ins>{spellLimit(field, to)}</ins>
        </li>
      ))}
    </ul>
  )
}

/** Wei as ETH: a zero too many is seen. */
function spellLimit(field: string, limit: string | null): string {
  if (limit === null) return 'no limit'
  if (!nameRule(field, []).isWei || !/^\d+$/.test(limit)) return limit
  const { text, unit } = formatAmount(BigInt(limit), 'ETH')
  return `${text} ${unit}`
}
