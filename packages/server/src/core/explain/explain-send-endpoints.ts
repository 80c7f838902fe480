/** Says where the bytes of a transaction go if not to every RPC node, and if nothing there responds. */
import type { Cause, ExplainContext, Finding } from './explanation.ts'

const AWAY = new Set(['failing', 'wrong_chain'])

/** What an endpoint that is away explains. */
const EXPLAINED: ReadonlySet<Cause> = new Set(['not_sent', 'no_answer', 'pending', 'stale'])

export function withSendEndpoints(finding: Finding, { sendsOnlyTo }: ExplainContext): Finding {
  if (sendsOnlyTo === null) return finding
  const names = sendsOnlyTo.map(({ name }) => name).join(', ')
  if (!sendsOnlyTo.every(({ state }) => AWAY.has(state)))
    return { ...finding, summary: `${finding.summary} It is sent only to ${names}.` }
  const respond = sendsOnlyTo.length === 1 ? 'does not respond' : 'do not respond'
  const summary = `${names} ${respond}. Drover sends it to no other RPC endpoint (setting \`rpcSendUrl\`). ${finding.summary}`
  if (!EXPLAINED.has(finding.cause)) return { ...finding, summary }
  return {
    ...finding,
    cause: 'send_endpoint_away',
    summary,
    nextAction: `Drover tries again with growing pauses of up to 15 s, and sends it when ${names} ${sendsOnlyTo.length === 1 ? 'responds' : 'respond'}. ${finding.nextAction}`,
  }
}
