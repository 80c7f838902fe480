/** Calls of a program that runs Drover in its own process: the same checks and answers as over HTTP, without HTTP. */
import { z } from 'zod'
import type { WaitStage } from '../../core/transaction/wait-stage.ts'
import type { ApiServices } from '../api-services.ts'
import { transactionRequest } from '../contract/requests/transaction-request.ts'
import type { ExplanationResource } from '../contract/resources/explanation-resource.ts'
import type { TransactionResource } from '../contract/resources/transaction-resource.ts'
import { transactionKeyParam } from '../contract/values/query.ts'
import { explainTransaction } from '../lookup/explain-transaction.ts'
import { getTransaction } from '../lookup/get-transaction.ts'
import { parseInput } from '../parse-input.ts'
import { presentExplanation } from '../present/present-explanation.ts'
import { toAppError } from '../present/present-problem.ts'
import { presentTransaction } from '../present/present-transaction.ts'
import { WaitEnded } from './wait-ended.ts'

type Body = z.input<typeof transactionRequest>
type Amount = string | number | bigint

/** The body of `POST /v1/transactions`; amounts may be bigints. */
export type SubmitRequest = Readonly<Omit<Body, 'value' | 'gasLimit' | 'fees'>> & {
  readonly value?: Amount | undefined
  readonly gasLimit?: Amount | undefined
  readonly fees?: { readonly [Name in keyof NonNullable<Body['fees']>]?: Amount | undefined } | undefined
}

export interface WaitOptions {
  /** After this time, `wait` throws `WaitEnded` with `timeout`; the transaction continues. Default: no limit. */
  readonly timeoutMs?: number
  /** Ends the wait with the reason of the signal. */
  readonly signal?: AbortSignal
}

export interface InProcessCalls {
  submit(request: SubmitRequest): Promise<TransactionResource>
  get(id: string): Promise<TransactionResource>
  wait(id: string, stage: WaitStage, options?: WaitOptions): Promise<TransactionResource>
  explain(id: string): Promise<ExplanationResource>
}

/** The longest that a timer can wait, almost 25 days. */
const LONGEST_MS = 2 ** 31 - 1
const NEVER_ABORTED = new AbortController().signal
const keyInput = z.object({ id: transactionKeyParam })

export function createInProcessCalls(services: ApiServices): InProcessCalls {
  const find = (id: string) => getTransaction(services.store, parseInput(keyInput, { id }).id)

  async function wait(
    id: string,
    stage: WaitStage,
    { timeoutMs = LONGEST_MS, signal = NEVER_ABORTED }: WaitOptions = {},
  ): Promise<TransactionResource> {
    signal.throwIfAborted()
    const place = services.waits.enter('look')
    try {
      const limited = Math.min(Math.max(1, timeoutMs), LONGEST_MS)
      const waited = await place.until(await find(id), { stage, timeoutMs: limited, signal })
      const transaction = presentTransaction(waited.transaction, services)
      if (waited.outcome === 'reached') return transaction
      signal.throwIfAborted()
      throw new WaitEnded(waited.outcome, stage, transaction)
    } finally {
      place.leave()
    }
  }

  return {
    submit: translated(async (request: SubmitRequest) => {
      const { transaction } = await services.accept(parseInput(transactionRequest, withoutBigints(request)))
      return presentTransaction(transaction, services)
    }),
    get: translated(async (id: string) => presentTransaction(await find(id), services)),
    wait: translated(wait),
    explain: translated(async (id: string) => {
      const tx = await find(id)
      return presentExplanation(await explainTransaction(tx, services), await services.readRevert(tx))
    }),
  }
}

/** An outage becomes an AppError, as over HTTP. A bug stays what it is: this caller may see it. */
function translated<In extends readonly unknown[], Out>(
  call: (...input: In) => Promise<Out>,
): (...input: In) => Promise<Out> {
  return async (...input) => {
    try {
      return await call(...input)
    } catch (error) {
      const known = toAppError(error)
      throw known.code === 'internal' ? error : known
    }
  }
}

function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(withoutBigints)
  if (value === null || typeof value !== 'object') return value
  const given = Object.entries(value).filter(([, part]) => part !== undefined)
  return Object.fromEntries(given.map(([name, part]) => [name, withoutBigints(part)]))
}
