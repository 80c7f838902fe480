/** What is said of a transaction that a rule refuses: in the log, in the metrics and in the audit. */
import type { Refused } from '../../core/rules/judge.ts'
import { spellSubject } from '../../core/rules/rule-set.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

export interface RefusalReport {
  readonly keyId: string | null
  /** Who sent it. */
  readonly actor: string
  readonly operation: 'acceptTransaction' | 'signTransaction'
  /** What it is about: a transaction, a signer, and the rule. */
  readonly target: string
  readonly result: 'refused_by_rule' | 'reported_by_rule'
}

export interface RefusedWork {
  readonly keyId: string | null
  readonly actor: string
  readonly where: 'acceptance' | 'signing'
  /** The path of the transaction, or of the signer if it was not stored. */
  readonly path: string
}

export type ReportRefusal = (refused: Refused, work: RefusedWork) => void

export function createReportRefusal(ports: {
  readonly telemetry: Pick<Telemetry, 'count' | 'log'>
  record(report: RefusalReport): void
}): ReportRefusal {
  return ({ subject, mode, refusal }, { keyId, actor, where, path }) => {
    ports.telemetry.count('drover_rule_refusals_total', { rule: kindOf(refusal.rule), mode, where })
    if (mode === 'report')
      ports.telemetry.log('info', 'a spending rule in report mode would refuse this', {
        path,
        subject,
        rule: refusal.rule,
        reason: refusal.message,
      })
    ports.record({
      keyId,
      actor,
      operation: where === 'acceptance' ? 'acceptTransaction' : 'signTransaction',
      target: `${path} (${refusal.rule} of ${spellSubject(subject)}: ${refusal.message})`,
      result: mode === 'report' ? 'reported_by_rule' : 'refused_by_rule',
    })
  }
}

/** Without the address of a token, so that there are few of them. */
function kindOf(rule: string): string {
  const parts = rule.split('.')
  return parts.length > 2 ? `${parts[0]}.${parts.at(-1)}` : rule
}
