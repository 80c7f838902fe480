/** Gathers what must be known around a transaction, and explains it. */
import { AppError } from '../core/app-error.ts'
import { type Explanation, explain } from '../core/explain.ts'
import type { ExplainContext } from '../core/explanation.ts'
import { type InFlight, inclusionOf, isInFlight, isTerminal, type Transaction } from '../core/transaction.ts'
import { presentWindow } from '../core/window.ts'
import type { ApiServices } from './api-services.ts'

type Services = Pick<ApiServices, 'store' | 'clock' | 'viewOf' | 'finalityOf' | 'baseFeeOf'>

export async function explainTransaction(tx: Transaction, services: Services): Promise<Explanation> {
  const { store, clock } = services
  const { lane, finality } = tx.intent
  const [queueAhead, [status], inFlight, baseFeeWei] = await Promise.all([
    store.countAhead(tx.id),
    store.listLaneStatus({ lane }),
    isTerminal(tx) ? [] : store.loadLane(lane).then((loaded) => loaded.inFlight),
    isInFlight(tx) && inclusionOf(tx) === null ? services.baseFeeOf(lane.chainId) : null,
  ])
  if (status === undefined) throw new AppError('internal', `transaction ${tx.id} belongs to no lane`)
  const { signer, lease } = status
  const context: ExplainContext = {
    now: clock.now(),
    policy: signer.policy,
    finality: finality ?? services.finalityOf(lane),
    head: services.viewOf(lane.chainId)?.head.number ?? null,
    baseFeeWei,
    queueAhead,
    lane: {
      ...{ owner: lease, paused: signer.paused, lowestReserved: status.lowestReserved },
      inFlight: inFlight.length + status.reserved,
      unmined: inFlight.filter((each) => inclusionOf(each) === null).length + status.reserved,
      window: status.health.window && presentWindow(status.health.window),
      lowestUnmined: findLowest(inFlight),
    },
  }
  // It may have taken its nonce since it was read: what is said of it must fit what is said of its lane.
  return explain(inFlight.find(({ id }) => id === tx.id) ?? tx, context)
}

function findLowest(inFlight: readonly InFlight[]): ExplainContext['lane']['lowestUnmined'] {
  const unmined = inFlight.filter((tx) => inclusionOf(tx) === null)
  const [lowest] = unmined.sort((a, b) => a.nonce - b.nonce)
  return lowest === undefined ? null : { txId: lowest.id, nonce: lowest.nonce, state: lowest.state }
}
