/** Puts what a problem document says next to the fields that it names; the rest is for the form as a whole. */
import type { Problem } from '../../api/api-resources.ts'

export type FieldProblems<F extends string> = Readonly<Partial<Record<F, string>>>

export function placeProblem<F extends string>(
  problem: Problem,
  fields: readonly F[],
): { readonly fields: FieldProblems<F>; readonly message: string | null } {
  const { detail, reason, field } = problem
  const issues = problem.issues ?? (field === undefined ? [] : [{ field, message: detail }])
  const placed: Partial<Record<F, string>> = {}
  for (const name of fields) {
    const issue = issues.find((candidate) => candidate.field === name)
    if (issue !== undefined) placed[name] = issue.message
  }
  const isAllPlaced = issues.length > 0 && issues.every((issue) => fields.some((name) => name === issue.field))
  if (isAllPlaced) return { fields: placed, message: null }
  return { fields: placed, message: reason === undefined || detail.includes(reason) ? detail : `${detail} (${reason})` }
}
