/** Which of several live nodes a lane ends up on: all nodes compute the same ranking. */
import { toAddress } from '../../packages/server/src/core/hex.ts'
import { laneKey } from '../../packages/server/src/core/lane/lane.ts'
import { rankNodes } from '../../packages/server/src/core/lane/rendezvous.ts'

export function heirOf(signer: string, nodeIds: readonly string[], chainId = 31_337): string {
  const [heir] = rankNodes(laneKey({ chainId, signer: toAddress(signer) }), nodeIds)
  if (heir === undefined) throw new Error('there is no node')
  return heir
}
