/** What an action would do to many transactions, asked of the service before anything is done, and then doing it. */
import type { ApiClient, OperatorAction } from '../../../api/api-client.ts'
import { ApiProblem } from '../../../api/api-failure.ts'
import type { ExplanationResource, TransactionResource } from '../../../api/api-resources.ts'

export interface Prospect {
  readonly tx: TransactionResource
  readonly options: ExplanationResource['options']
}

/** An action, and how many of the picked transactions it is possible for. */
export interface OfferedAction {
  readonly action: OperatorAction
  readonly count: number
}

export type BulkResult = { readonly id: string; readonly problem: string | null }

const AT_ONCE = 6

export function explainAll(
  api: Pick<ApiClient, 'explainTransaction'>,
  items: readonly TransactionResource[],
): Promise<readonly Prospect[]> {
  return mapSome(items, async (tx) => ({ tx, options: (await api.explainTransaction(tx.id)).options }))
}

export function offerActions(prospects: readonly Prospect[]): readonly OfferedAction[] {
  const counts = new Map<OperatorAction, number>()
  for (const { options } of prospects) {
    for (const { action } of options) counts.set(action, (counts.get(action) ?? 0) + 1)
  }
  return [...counts].map(([action, count]) => ({ action, count })).sort((a, b) => b.count - a.count)
}

/** What would happen to each: null where the action is not possible now. */
export function previewAction(
  prospects: readonly Prospect[],
  action: OperatorAction,
): readonly { readonly tx: TransactionResource; readonly effect: string | null }[] {
  return prospects.map(({ tx, options }) => ({
    tx,
    effect: options.find((option) => option.action === action)?.effect ?? null,
  }))
}

/** One refusal does not stop the others. An answer that never came is not known to be either. */
export function actOnAll(
  api: Pick<ApiClient, 'operate'>,
  items: readonly TransactionResource[],
  action: OperatorAction,
  reason: string,
): Promise<readonly BulkResult[]> {
  return mapSome(items, async ({ id }) => {
    try {
      await api.operate(id, action, { reason })
      return { id, problem: null }
    } catch (error) {
      if (error instanceof ApiProblem) return { id, problem: error.problem.detail }
      return { id, problem: 'No response. It may or may not have been done.' }
    }
  })
}

/** A few at a time, results in order. */
async function mapSome<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = new Array(items.length)
  let next = 0
  const work = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await run(items[index] as T)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work))
  return results
}
