/**
 * Reports the state changes of an endpoint: each counts in the metrics, but a repeated cause is logged once a minute.
 */
import { endpointRunbookEntry } from '../../core/explain/runbook.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EndpointState } from '../../ports/endpoint-report.ts'
import type { LogLevel, Telemetry } from '../../ports/telemetry.ts'

const LEVELS: Readonly<Record<EndpointState, LogLevel>> = {
  unverified: 'debug',
  healthy: 'info',
  failing: 'warn',
  rate_limited: 'warn',
  lagging: 'warn',
  implausible: 'warn',
  wrong_chain: 'error',
}

const QUIET_MS = 60_000

export interface EndpointLog {
  entered(state: EndpointState, reason: string): void
}

interface EndpointLogOptions {
  readonly chainId: number
  readonly name: string
  readonly clock: Pick<Clock, 'monotonic'>
  readonly telemetry: Telemetry
}

export function createEndpointLog({ chainId, name, clock, telemetry }: EndpointLogOptions): EndpointLog {
  /** Per state: when it was last logged, and how often it occurred since. */
  const told = new Map<EndpointState, { readonly at: number; repeats: number }>()
  telemetry.count('drover_rpc_wrong_chain_total', { chainId, host: name }, 0)

  return {
    entered(state, reason) {
      telemetry.gauge('drover_rpc_endpoint_up', state === 'healthy' ? 1 : 0, { chainId, host: name })
      if (state === 'wrong_chain') telemetry.count('drover_rpc_wrong_chain_total', { chainId, host: name })
      const last = told.get(state)
      if (last !== undefined && clock.monotonic() - last.at < QUIET_MS) {
        last.repeats++
        return
      }
      told.set(state, { at: clock.monotonic(), repeats: 0 })
      const repeats = last === undefined || last.repeats === 0 ? {} : { sinceLastLine: last.repeats }
      const isGood = state === 'healthy' || state === 'unverified'
      const runbook = isGood ? {} : { runbook: endpointRunbookEntry(state === 'wrong_chain') }
      telemetry.log(LEVELS[state], `RPC endpoint is ${state}`, { chainId, host: name, reason, ...repeats, ...runbook })
    },
  }
}
