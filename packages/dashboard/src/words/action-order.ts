/** What an operator can do, the recommended first, what only holds it back later, and what ends it last. */
import type { OperatorAction } from '../api/api-client.ts'
import type { ExplanationResource } from '../api/api-resources.ts'

type Option = ExplanationResource['options'][number]

const ENDS: readonly OperatorAction[] = ['cancel', 'close', 'resolve']

/** Recommended is only what the service itself names: `drover tx requeue …` in its advice, or resuming what was suspended. */
export function recommendAction({ options, advice }: Pick<ExplanationResource, 'options' | 'advice'>): Option | null {
  const named = [...(advice ?? '').matchAll(/drover tx ([a-z-]+)/g)].map(([, action]) => action)
  const offered = named.flatMap((action) => options.find((option) => option.action === action) ?? [])
  return offered[0] ?? options.find(({ action }) => action === 'resume') ?? null
}

export function orderActions(explanation: Pick<ExplanationResource, 'options' | 'advice'>): readonly Option[] {
  const best = recommendAction(explanation)
  const rank = ({ action }: Option) => {
    if (action === best?.action) return 0
    if (ENDS.includes(action)) return 3
    return action === 'suspend' ? 2 : 1
  }
  return explanation.options.toSorted((a, b) => rank(a) - rank(b))
}
