/** The two ways in which a request fails: the service did not respond, or it refused. */
import type { Problem } from './api-resources.ts'

/** No usable answer, for now. Whether a request that changes something was carried out is not known. */
export class ServiceAway extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.name = 'ServiceAway'
  }
}

/** The service understood the request and refused it. */
export class ApiProblem extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.name = 'ApiProblem'
    this.problem = problem
  }
}
