/** An operator's reset of a cursor: ordered from any node, carried out or refused by the lane's owner. */
import { AppError } from '../../core/app-error.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { NonceReset } from '../../core/lane/nonce-reset.ts'
import type { OperatorAct } from '../../core/transaction/tx-event.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { createRequestAnswers } from '../reservations/request-answers.ts'

export interface ResetNonce {
  /**
   * The reset with its answer, or still REQUESTED if it was not answered in time. Throws if it was refused. A reset
   * that cancels first returns as soon as the cancelling has begun; look up its outcome by its id.
   */
  reset(lane: Lane, by: OperatorAct, options?: { readonly cancelsFirst?: boolean }): Promise<NonceReset>
  /** Null: no reset has this id. */
  find(id: string): Promise<NonceReset | null>
  close(): void
}

interface ResetPorts {
  readonly store: Pick<Store, 'insertReset' | 'findReset' | 'listen'>
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly timeoutMs?: number
}

export function createResetNonce({ store, clock, random, timeoutMs = 5_000 }: ResetPorts): ResetNonce {
  const answers = createRequestAnswers<NonceReset>({
    store,
    clock,
    timeoutMs,
    find: (ids) => Promise.all(ids.map((id) => store.findReset(id))),
    isAnswered: ({ state }) => state !== 'REQUESTED',
  })

  return {
    find: (id) => store.findReset(id),
    reset: async (lane, { actor, reason }, { cancelsFirst = false } = {}) => {
      const id = random.id(clock.now())
      if (!(await store.insertReset({ id, lane, actor, reason, cancelsFirst }))) {
        throw new AppError('unknown_signer', `${lane.signer} is not registered on chain ${lane.chainId}.`)
      }
      const [reset] = await answers.wait([id])
      if (reset === undefined) throw new AppError('internal', `the reset ${id} vanished`)
      if (reset.state === 'REFUSED') {
        throw new AppError('action_forbidden', `The nonce was not reset: ${reset.refusal}.`, { resetId: id })
      }
      return reset
    },
    close: answers.close,
  }
}
