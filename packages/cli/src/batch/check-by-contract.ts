/**
 * Validates rows against the HTTP API contract, so rows that the service would reject as malformed are found before
 * sending.
 */
import { AppError } from '@drover/server/core'
import type { CheckRequest, RowProblem } from './row-request.ts'

/** Loaded only now: other commands should not pay for the schemas and the encoding of calls. */
export async function checkByContract(): Promise<CheckRequest> {
  const { parseInput, transactionRequest } = await import('@drover/server/contract')
  return (body) => {
    try {
      parseInput(transactionRequest, body)
      return []
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const { issues } = error.details
      return Array.isArray(issues) ? issues.map(toProblem) : [{ field: '', message: error.message }]
    }
  }
}

/** The details of an error are open; those of this one have a field and a message each. */
function toProblem(issue: { readonly field?: unknown; readonly message?: unknown }): RowProblem {
  return { field: String(issue.field ?? ''), message: String(issue.message ?? 'is not valid') }
}
