/** The answer to a request that a rule refuses. */
import { AppError } from '../../core/app-error.ts'
import type { Refused } from '../../core/rules/judge.ts'
import { spellSubject } from '../../core/rules/rule-set.ts'

export function refusalError({ subject, refusal }: Refused): AppError {
  const { rule, limit, used, wanted, window, message } = refusal
  const advice = window === null ? '' : ' It may pass later, when part of that has left the window.'
  return new AppError(
    'refused_by_rule',
    `A spending rule refuses it: ${rule} of ${spellSubject(subject)}: ${message}. Nothing was stored.${advice}`,
    {
      rule,
      subject,
      ...(limit !== null && { limit: limit.toString() }),
      ...(used !== null && { used: used.toString() }),
      ...(wanted !== null && { wanted: wanted.toString() }),
    },
  )
}
