/**
 * The balance of a lane, read from the chain while its page is open. The service reads an idle signer rarely, so what it
 * knows may be minutes old.
 */
import { useContext, useRef } from 'preact/hooks'
import { ApiProblem, ServiceAway } from '../api/api-failure.ts'
import type { LaneResource } from '../api/api-resources.ts'
import { Service } from './service.ts'
import { useResource } from './use-resource.ts'

type Balance = NonNullable<LaneResource['balance']>

const FRESH_FOR_MS = 30_000

interface ReadBalance {
  readonly wei: string
  readonly atMs: number
}

/** The lane with the newer of both balances. */
export function useFreshBalance(lane: LaneResource): LaneResource {
  const { api } = useContext(Service)
  const { address, chainId, balance } = lane
  const known = useRef(balance)
  known.current = balance
  const read = useResource(`balance ${chainId} ${address}`, async (previous: ReadBalance | null) => {
    const newest = Math.max(previous?.atMs ?? 0, known.current === null ? 0 : Date.parse(known.current.at))
    if (Date.now() - newest < FRESH_FOR_MS) return previous ?? { wei: '', atMs: 0 }
    try {
      const answer = await api.readBalance(chainId, address)
      if ('result' in answer) return { wei: BigInt(answer.result).toString(), atMs: Date.now() }
    } catch (error) {
      // What is wrong with the chain or the service is said elsewhere. The age shows that the balance is old.
      if (!(error instanceof ServiceAway || error instanceof ApiProblem)) throw error
    }
    return previous ?? { wei: '', atMs: 0 }
  })
  if (balance === null || read.type !== 'ready' || read.value.atMs <= Date.parse(balance.at)) return lane
  return { ...lane, balance: renew(balance, read.value) }
}

function renew(balance: Balance, { wei, atMs }: ReadBalance): Balance {
  const { txCost } = balance
  const runway = txCost === null || txCost === '0' ? balance.runway : Number(BigInt(wei) / BigInt(txCost))
  return { ...balance, wei, runway, at: new Date(atMs).toISOString() }
}
