/**
 * A gas oracle behind HTTP, as an operator configured it (`gasOracleUrl`): one GET, at most every few seconds, shared by
 * all. It may be on a private host, since an operator named it, but it leads nowhere else: redirects are refused. An oracle
 * that failed is left alone for a while, so it delays nothing; the prices of the RPC nodes count then.
 */
import { applyOracle } from '../../core/fees/apply-oracle.ts'
import type { FeeMarket } from '../../core/fees/fees.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { BadQuote, type OracleFields, type OracleUnit, readQuote } from './read-quote.ts'

export interface OracleSettings {
  readonly url: string
  readonly fields: OracleFields
  readonly unit: OracleUnit
  readonly timeoutMs: number
}

export interface GasOracle {
  /** Starts to ask, if it is time, so the answer comes while the RPC nodes are asked too. */
  ask(): void
  /** The market with what the oracle says, or as it is. Never throws. */
  apply(market: FeeMarket): Promise<FeeMarket>
}

interface OraclePorts {
  readonly chainId: number
  readonly clock: Pick<Clock, 'monotonic'>
  readonly telemetry: Telemetry
  readonly settings: OracleSettings
}

type Answer = { readonly type: 'body'; readonly body: string } | { readonly type: 'failed'; readonly reason: string }

const MAX_AGE_MS = 3_000
const PAUSE_MS = 15_000
const WARN_INTERVAL_MS = 60_000
const MAX_BYTES = 64 * 1024

export function createGasOracle({ chainId, clock, telemetry, settings }: OraclePorts): GasOracle {
  const { host } = new URL(settings.url)
  let last: { readonly at: number; readonly answer: Promise<Answer> } | null = null
  let pausedUntil = Number.NEGATIVE_INFINITY
  let warnedAt = Number.NEGATIVE_INFINITY
  for (const result of ['used', 'failed', 'refused']) telemetry.count('drover_gas_oracle_total', { chainId, result }, 0)

  function ask(): void {
    const now = clock.monotonic()
    if (now < pausedUntil || (last !== null && now - last.at < MAX_AGE_MS)) return
    last = { at: now, answer: getOracle(settings) }
  }

  async function apply(market: FeeMarket): Promise<FeeMarket> {
    if (last === null || clock.monotonic() < pausedUntil) return market
    const answer = await last.answer
    if (answer.type === 'failed') return giveUp(market, 'failed', answer.reason)
    try {
      const verdict = applyOracle(market, readQuote(answer.body, settings.fields, settings.unit))
      if (verdict.type === 'refused') return giveUp(market, 'refused', verdict.reason)
      telemetry.count('drover_gas_oracle_total', { chainId, result: 'used' })
      return verdict.market
    } catch (error) {
      if (error instanceof BadQuote) return giveUp(market, 'failed', error.message)
      throw error
    }
  }

  function giveUp(market: FeeMarket, result: 'failed' | 'refused', reason: string): FeeMarket {
    const now = clock.monotonic()
    pausedUntil = now + PAUSE_MS
    last = null
    telemetry.count('drover_gas_oracle_total', { chainId, result })
    if (now - warnedAt >= WARN_INTERVAL_MS) {
      warnedAt = now
      telemetry.log('warn', 'the gas oracle is not used now: prices come from the RPC nodes', { chainId, host, reason })
    }
    return market
  }

  return { ask, apply }
}

/** Never throws. The reason repeats neither the URL, which may hold a key, nor the answer. */
export async function getOracle({ url, timeoutMs }: Pick<OracleSettings, 'url' | 'timeoutMs'>): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal })
    if (response.status !== 200) {
      await response.body?.cancel()
      const isRedirect = response.status >= 300 && response.status < 400
      const reason = `it answered ${response.status}`
      return { type: 'failed', reason: isRedirect ? `${reason}: redirects are not followed` : reason }
    }
    return await readBody(response)
  } catch {
    return {
      type: 'failed',
      reason: signal.aborted ? `it did not answer within ${timeoutMs} ms` : 'it does not respond',
    }
  }
}

async function readBody(response: Response): Promise<Answer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) return { type: 'failed', reason: `its answer is longer than ${MAX_BYTES} bytes` }
    chunks.push(chunk)
  }
  return { type: 'body', body: Buffer.concat(chunks).toString('utf8') }
}
