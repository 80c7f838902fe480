/**
 * An operator ends private sends of a signer: `rpcSendUrl` has `0x…=public` for it. Done once, at the start: a node that
 * still has a send endpoint for it makes it private again, so private wins until all nodes agree.
 */
import { checksumAddress } from '../api/contract/values/address.ts'
import type { ChainConfig } from '../config/config.ts'
import { isSentPublicly } from '../config/values/send-urls.ts'
import type { AccessStore } from '../ports/access-store.ts'
import type { Signer } from '../ports/signer.ts'
import type { SignerRecord, Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'

interface ReleasePorts {
  readonly store: Pick<Store, 'listSigners' | 'setSendsPrivately'>
  readonly signer: Pick<Signer, 'addresses'>
  readonly keys: Pick<AccessStore, 'appendAudit'>
  readonly telemetry: Pick<Telemetry, 'log'>
  readonly nodeId: string
  readonly chains: readonly {
    readonly chain: { readonly chainId: number }
    readonly own: Pick<ChainConfig, 'sendUrls'>
  }[]
}

const ACTOR = 'settings'

export async function releaseSends({ store, signer, keys, telemetry, nodeId, chains }: ReleasePorts): Promise<void> {
  const own = new Set(signer.addresses())
  const urls = new Map(chains.map(({ chain, own: { sendUrls } }) => [chain.chainId, sendUrls]))
  const isReleased = ({ lane, sendsPrivately }: SignerRecord): boolean => {
    const sendUrls = urls.get(lane.chainId)
    return (
      sendsPrivately === true && own.has(lane.signer) && sendUrls !== undefined && isSentPublicly(lane.signer, sendUrls)
    )
  }
  const released = (await store.listSigners()).filter(isReleased)
  for (const { lane } of released) {
    // Before it happens: what happens is in the audit, come what may.
    const target = `/v1/signers/${checksumAddress(lane.signer)} (chain ${lane.chainId})`
    await keys.appendAudit({ keyId: null, actor: ACTOR, nodeId, operation: 'sendPublicly', target, result: 'done' })
    telemetry.log('warn', 'this signer sends to every RPC node from now on: `rpcSendUrl` says `public`', {
      nodeId,
      ...lane,
    })
  }
  const note = { type: 'signer.changed', cause: ACTOR, detail: { sendsPrivately: false, node: nodeId } }
  await store.setSendsPrivately(
    released.map(({ lane }) => lane),
    false,
    note,
  )
}
