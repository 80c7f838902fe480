/** The RPC nodes of one chain, each by itself and compared with each other. */
import { type NodeProbe, probeNode } from '../../chain/probe-node.ts'
import type { Address } from '../../core/hex.ts'
import { createSystemClock } from '../system-clock.ts'
import { type ChainSubject, type Head, judgeNode } from './diagnose-node.ts'
import { type Finding, failed } from './finding.ts'

export async function diagnoseChain(chain: ChainSubject, addresses: readonly Address[]): Promise<readonly Finding[]> {
  const probes = await Promise.all(chain.rpcUrls.map((url) => probeNode(url, addresses, createSystemClock())))
  return [
    ...(chain.chainId === null ? judgeChainIds(probes) : []),
    ...withoutRepeats(probes.flatMap((probe) => judgeNode(probe, chain, findNewest(probes, probe)))),
  ]
}

/** Nodes that agree on a balance say it once. */
function withoutRepeats(findings: readonly Finding[]): readonly Finding[] {
  const isSame = (a: Finding, b: Finding) => a.check === b.check && a.detail === b.detail
  return findings.filter((finding, index) => findings.findIndex((other) => isSame(other, finding)) === index)
}

/** With `chainId` set, each node is compared with that. */
function judgeChainIds(probes: readonly NodeProbe[]): readonly Finding[] {
  const known = probes.flatMap((probe) => (probe.type === 'answers' ? [probe] : []))
  if (new Set(known.map(({ chainId }) => chainId)).size < 2) return []
  const places = known.map(({ host, chainId }) => `${host} is on chain ${chainId}`).join(', ')
  return [
    failed(
      'chain id',
      `the RPC URLs lead to different chains: ${places}`,
      'set DROVER_CHAIN_ID, and keep only the URLs of that chain in DROVER_RPC_URL',
    ),
  ]
}

function findNewest(probes: readonly NodeProbe[], self: NodeProbe): Head | null {
  if (self.type !== 'answers') return null
  const heads = probes.flatMap((probe) =>
    probe.type === 'answers' && probe.chainId === self.chainId && probe.head !== null
      ? [{ ...probe.head, host: probe.host }]
      : [],
  )
  return heads.reduce<Head | null>((best, head) => (best === null || head.number > best.number ? head : best), null)
}
