/** Describes what is wrong with a stored lane, in words. */
import { describeLaneProblems, type ShownProblem, type SilentNode } from '../../core/explain/describe-problem.ts'
import type { LaneStatus } from '../../ports/store.ts'
import { checksumAddress } from '../contract/values/address.ts'

interface Teller {
  /** What to call the signer. Default: its full address. */
  readonly name?: string
  /** This node, if it has no send endpoint for the signer. */
  readonly nodeWithout?: string | null
  /** This node has the key of the signer. */
  readonly isKeyHere?: boolean
}

export function describeLane(
  status: LaneStatus,
  silent: readonly SilentNode[],
  { name = checksumAddress(status.signer.lane.signer), nodeWithout = null, isKeyHere }: Teller = {},
): readonly ShownProblem[] {
  const { signer, queued, inFlight, health, lowestReserved, lease } = status
  const { balance, txCost, problems } = health
  const { lane, createdAt } = signer
  return describeLaneProblems(
    {
      lane,
      signer: name,
      createdAt,
      waiting: queued + inFlight,
      problems,
      balance,
      txCost,
      lowestReserved,
      lease,
      ...(isKeyHere !== undefined && { isKeyHere }),
      ...(signer.sendsPrivately && { sendsPrivately: { nodeWithout } }),
    },
    silent,
  )
}
