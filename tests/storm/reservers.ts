/** Callers that reserve nonces and sign themselves, on a lane that Drover also uses. Some forget their reservations. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Chance } from '../fuzz/chance.ts'
import type { Answer, Api } from './load.ts'
import type { OwnTransaction, StormLog } from './storm-log.ts'

interface ReserverPorts {
  readonly api: Api
  readonly chance: Chance
  readonly log: StormLog
  readonly account: { readonly address: string; readonly privateKey: `0x${string}` }
  readonly chainId: number
  /** Directly to the chain: holders have their own RPC nodes. */
  rpc<T>(method: string, params: readonly unknown[]): Promise<T>
  isOver(): boolean
}

const TTL_MS = 20_000
const PAUSE_MS = 400
const RESEND_MS = 1_000

export async function runReserver(ports: ReserverPorts): Promise<void> {
  const { api, chance, log, isOver } = ports
  for (let count = 0; !isOver(); count++) {
    const lockOwner = randomUUID()
    const request = { chainId: ports.chainId, ttlMs: TTL_MS, lockOwner, requestId: randomUUID() }
    const granted = await insist(() => api.post(`/v1/signers/${ports.account.address}/nonces`, request), isOver)
    const reservation = granted?.body.items?.[0]
    if (reservation?.nonce !== undefined && reservation.nonce !== null) {
      const fate = chance.below(10)
      const { id } = reservation
      if (fate < 7) {
        const own = await sign(ports, reservation.nonce, count)
        // Names its hash first: once that is stored, the nonce belongs to the holder for good.
        const used = await insist(
          () => api.post(`/v1/nonces/${id}/use`, { lockOwner, hash: own.hash }),
          () => false,
        )
        if (used?.status === 200) log.own.push(own)
      } else if (fate < 9) await api.post(`/v1/nonces/${id}/release`, { lockOwner })
    }
    await delay(PAUSE_MS + chance.below(800))
  }
}

async function insist(ask: () => Promise<Answer>, mayStop: () => boolean): Promise<Answer | null> {
  while (!mayStop()) {
    const answer = await ask()
    if (answer.status >= 200 && answer.status < 500 && answer.status !== 429) return answer
    await delay(200)
  }
  return null
}

async function sign({ account, chainId }: ReserverPorts, nonce: number, count: number): Promise<OwnTransaction> {
  const signer = privateKeyToAccount(account.privateKey)
  const data = `0xe0${count.toString(16).padStart(16, '0')}` as const
  const raw = await signer.signTransaction({
    type: 'eip1559',
    chainId,
    nonce,
    to: signer.address,
    value: 0n,
    gas: 60_000n,
    data,
    maxFeePerGas: 100n * 10n ** 9n,
    maxPriorityFeePerGas: 2n * 10n ** 9n,
  })
  return { chainId, raw, hash: keccak256(raw) }
}

/** Holders keep resending unmined transactions, because a reorg of this chain empties the pool. */
export async function keepSending(log: StormLog, rpc: ReserverPorts['rpc'], isOver: () => boolean): Promise<void> {
  let settled = 0
  while (!isOver()) {
    for (const { raw, hash } of log.own.slice(settled)) {
      const receipt = await rpc('eth_getTransactionReceipt', [hash]).catch(() => null)
      // Already known, or a lower nonce is missing: both resolve themselves.
      if (receipt === null) await rpc('eth_sendRawTransaction', [raw]).catch(() => {})
    }
    // Only the newest can still be lost to a reorg.
    settled = Math.max(settled, log.own.length - 60)
    await delay(RESEND_MS)
  }
}
