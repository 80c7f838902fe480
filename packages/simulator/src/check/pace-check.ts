/** Bytes are resent only after a claim was stored, so nobody sends the same bytes over and over. */
import { Violation } from '../run/violation.ts'

const WINDOW_MS = 1_000
/** Per RPC node: the first send, plus what a refusal, an operator and a reorg may each cause at once. */
const MOST_PER_NODE = 8

export function createPaceCheck(now: () => number, rpcNodes: number): (what: string) => void {
  const times = new Map<string, number[]>()
  return (what) => {
    const recent = (times.get(what) ?? []).filter((at) => at > now() - WINDOW_MS)
    recent.push(now())
    times.set(what, recent)
    if (recent.length > MOST_PER_NODE * rpcNodes)
      throw new Violation('claim', `${what} was sent ${recent.length} times within ${WINDOW_MS} ms`)
  }
}
