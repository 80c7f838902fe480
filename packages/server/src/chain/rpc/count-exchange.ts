/** Counts the calls of one HTTP request by method and outcome. */
import type { Telemetry } from '../../ports/telemetry.ts'
import type { Exchange } from './json-rpc.ts'

interface CountOptions {
  readonly chainId: number
  readonly name: string
  readonly telemetry: Telemetry
}

export function countExchange(
  { requests, replies, label }: Exchange,
  { chainId, name, telemetry }: CountOptions,
): void {
  const counts = new Map<string, { method: string; outcome: string; calls: number }>()
  for (const [index, { type: outcome }] of replies.entries()) {
    const method = label ?? requests[index]?.method ?? 'unknown'
    const key = `${method} ${outcome}`
    const count = counts.get(key) ?? { method, outcome, calls: 0 }
    count.calls += 1
    counts.set(key, count)
  }
  for (const { method, outcome, calls } of counts.values())
    telemetry.count('drover_rpc_requests_total', { chainId, host: name, method, outcome }, calls)
}
