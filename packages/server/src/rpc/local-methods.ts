/** The methods that Drover answers itself, or answers differently from the node behind it. */
import { parseAddress } from '../api/contract/values/address.ts'
import { parseBytes } from '../api/contract/values/bytes.ts'
import { type Caller, mayUse } from '../core/access/caller.ts'
import type { Hex } from '../core/hex.ts'
import type { SignerRecord } from '../ports/store.ts'
import type { Upstream } from '../ports/upstream.ts'
import { createFindManaged } from './find-managed.ts'
import type { SharedForwarder } from './forwarder.ts'
import type { NextNonces } from './next-nonces.ts'
import { RpcFailure } from './rpc-failure.ts'
import type { RpcReads } from './rpc-reads.ts'
import type { RpcServices } from './rpc-services.ts'

export type LocalMethod = (params: readonly unknown[], caller: Caller) => Promise<unknown>

interface LocalPorts extends Pick<RpcServices, 'signers' | 'ownAddresses'> {
  readonly store: Pick<RpcReads, 'findTransactionByHash' | 'listSigners'>
  readonly nextNonces: NextNonces
  readonly upstream: Upstream
  readonly forwarder: Pick<SharedForwarder, 'forTenant'>
}

export function createLocalMethods(ports: LocalPorts): ReadonlyMap<string, LocalMethod> {
  const { chainId } = ports.upstream
  const managed = createFindManaged(ports)

  async function listAccounts(_params: readonly unknown[], caller: Caller): Promise<readonly Hex[]> {
    const records = await ports.store.listSigners(caller.tenant)
    const own = records.filter(({ lane }) => lane.chainId === chainId && mayUse(caller, lane))
    return own.sort(compareAccounts).map(({ lane }) => lane.signer)
  }

  /** As they were configured: libraries take the first one if they are not told which. Then those of other nodes, oldest first. */
  function compareAccounts(a: SignerRecord, b: SignerRecord): number {
    return rankOf(a) - rankOf(b) || a.createdAt - b.createdAt || (a.lane.signer < b.lane.signer ? -1 : 1)
  }

  function rankOf({ lane }: SignerRecord): number {
    const own = ports.ownAddresses()
    const place = own.indexOf(lane.signer)
    return place < 0 ? own.length : place
  }

  /** Drover knows what is `pending` for a managed account, including what is queued or not sent to any node yet. */
  async function countTransactions(params: readonly unknown[], caller: Caller): Promise<unknown> {
    const request = { method: 'eth_getTransactionCount', params }
    const own = ports.forwarder.forTenant(caller.tenant)
    const parsed = parseAddress(params[0])
    if (params[1] !== 'pending' || 'problem' in parsed) return own.forward(request)
    const lane = { chainId, signer: parsed.address }
    if (ports.signers.peek(lane) === null || !mayUse(caller, lane)) return own.forward(request)
    return toQuantity(await ports.nextNonces.read(lane, caller.tenant))
  }

  async function sendRaw(params: readonly unknown[], { tenant }: Caller): Promise<unknown> {
    const raw = parseBytes(params[0])
    const pending = raw === null ? null : await ports.upstream.readPending(raw)
    if (pending === null || params.length !== 1) {
      throw new RpcFailure('invalid_params', 'expected one parameter: a signed transaction as 0x-hex')
    }
    if (ports.signers.peek({ chainId, signer: pending.from }) !== null) {
      const message = `${pending.from} is managed by Drover, which assigns its nonces; use eth_sendTransaction`
      throw new RpcFailure('refused', message)
    }
    return ports.forwarder.forTenant(tenant).forward({ method: 'eth_sendRawTransaction', params })
  }

  async function refuseSubscription(): Promise<never> {
    throw new RpcFailure('refused', 'subscriptions need a WebSocket: connect to the same path with ws:// or wss://')
  }

  return new Map<string, LocalMethod>([
    ['eth_chainId', async () => toQuantity(chainId)],
    ['net_version', async () => String(chainId)],
    ['eth_accounts', listAccounts],
    ['eth_requestAccounts', listAccounts],
    ['eth_getTransactionCount', countTransactions],
    ['eth_getTransactionReceipt', managed.receipt],
    ['eth_getTransactionByHash', managed.transaction],
    ['eth_sendRawTransaction', sendRaw],
    ['eth_subscribe', refuseSubscription],
    ['eth_unsubscribe', refuseSubscription],
  ])
}

function toQuantity(value: number): Hex {
  return `0x${value.toString(16)}`
}
