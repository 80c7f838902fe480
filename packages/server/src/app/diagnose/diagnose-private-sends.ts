/** Whether this node can send for every signer that sends privately and whose key it has. */
import { checksumAddress } from '../../api/contract/values/address.ts'
import { hasSendUrl, isSentPublicly } from '../../config/values/send-urls.ts'
import { sendsPrivatelyStep } from '../../core/explain/next-steps.ts'
import type { Address } from '../../core/hex.ts'
import type { SignerRecord } from '../../ports/store.ts'
import { createPostgresStore } from '../../store/postgres/postgres-store.ts'
import type { ChainSubject } from './diagnose-node.ts'
import { type Finding, failed, ok, warn } from './finding.ts'

const SILENT = { log: () => {}, count: () => {}, gauge: () => {} }

export interface Senders {
  readonly chains: readonly Pick<ChainSubject, 'chainId' | 'sendUrls'>[]
  /** Whose keys this node has. */
  readonly addresses: readonly Address[]
}

export async function diagnosePrivateSends(databaseUrl: string, senders: Senders): Promise<readonly Finding[]> {
  const store = createPostgresStore({ databaseUrl, telemetry: SILENT, applicationName: 'drover doctor' })
  try {
    return judgePrivateSends(await store.listSigners(), senders)
  } finally {
    await store.close()
  }
}

export function judgePrivateSends(
  signers: readonly SignerRecord[],
  { chains, addresses }: Senders,
): readonly Finding[] {
  const own = signers.filter(({ lane, sendsPrivately }) => sendsPrivately === true && addresses.includes(lane.signer))
  return own.flatMap(({ lane: { chainId, signer } }) => {
    // The only chain of the settings may have left its id to the RPC node.
    const chain = chains.find((each) => each.chainId === chainId || (each.chainId === null && chains.length === 1))
    if (chain === undefined) return []
    const name = checksumAddress(signer)
    const check = `private sends of ${name}`
    if (hasSendUrl(signer, chain.sendUrls))
      return [ok(check, `this node has a send endpoint for it on chain ${chainId}`)]
    return [
      isSentPublicly(signer, chain.sendUrls)
        ? warn(
            check,
            `the next start ends them on chain ${chainId}: its transactions then go to every RPC node`,
            'if this is not wanted, remove `public` from DROVER_RPC_SEND_URL',
          )
        : failed(
            check,
            `this signer sends privately; this node has no send endpoint for it on chain ${chainId} and will not run it`,
            sendsPrivatelyStep(name),
          ),
    ]
  })
}
