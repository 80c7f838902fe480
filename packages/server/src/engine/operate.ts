/**
 * What an operator may do to a transaction, from any node. The decision is made on a version and stored only if that is
 * still the current one; the owner of the lane then loads it again and acts. Who did it and why is part of the history.
 */
import { allowedActions, type OperatorAction } from '../core/allowed-actions.ts'
import { AppError } from '../core/app-error.ts'
import { assessInclusion, type ChainView, type Finality, type Inclusion } from '../core/finality.ts'
import type { Hash } from '../core/hex.ts'
import type { Lane } from '../core/lane.ts'
import { type Policy, STABLE } from '../core/policy.ts'
import { nonceOf, type Transaction, type TxId } from '../core/transaction.ts'
import { transition } from '../core/transition.ts'
import type { OperatorAct, TxEvent } from '../core/tx-event.ts'
import { type Chain, ChainUnavailable } from '../ports/chain.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { markNonces } from './lane-draft.ts'
import { tellTransition } from './tell-transition.ts'

export type OperatorRequest = OperatorAct &
  (
    | { readonly action: Exclude<OperatorAction, 'resolve'> }
    /** `hash`: the transaction that consumed the nonce. */
    | { readonly action: 'resolve'; readonly hash: Hash }
  )

export type Operate = (id: TxId, request: OperatorRequest) => Promise<Transaction>

interface OperatePorts {
  readonly store: Pick<Store, 'findTransaction' | 'amend'>
  readonly chains: ReadonlyMap<number, Chain>
  readonly clock: Clock
  readonly telemetry: Telemetry
  policyOf(lane: Lane): Policy | null
  finalityOf(lane: Lane): Finality
  viewOf(chainId: number): ChainView | null
}

/** Somebody else changed it in between: look again, a few times. */
const TRIES = 5

export function createOperate(ports: OperatePorts): Operate {
  const { store, clock, telemetry } = ports

  return async (id, request) => {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const tx = await store.findTransaction(id)
      if (tx === null) throw new AppError('not_found', `There is no transaction ${id}.`)
      const policy = ports.policyOf(tx.intent.lane) ?? STABLE
      const verdict = allowedActions(tx, policy)[request.action]
      if (!verdict.allowed)
        throw new AppError('action_forbidden', verdict.why, { state: tx.state, action: request.action })
      const step = transition(tx, await toEvent(tx, request), policy)
      if (step.tx === tx) return tx
      const { version, state, attempts } = tx
      const save = { before: { version, state, attemptCount: attempts.length }, tx: step.tx, notes: step.notes }
      const result = await store.amend(save, markNonces(tx, step))
      if (result.type !== 'written') continue
      tellTransition(telemetry, save)
      return { ...step.tx, version: result.version }
    }
    throw new AppError('action_forbidden', 'The transaction is changing too fast for this action; try again.', {
      action: request.action,
    })
  }

  async function toEvent(tx: Transaction, request: OperatorRequest): Promise<TxEvent> {
    const at = clock.now()
    const by = { actor: request.actor, reason: request.reason }
    switch (request.action) {
      case 'suspend':
        return { type: 'operator.suspended', at, by }
      case 'resume':
        return { type: 'operator.resumed', at, by }
      case 'retry':
        return { type: 'operator.retried', at, by }
      case 'cancel':
        return { type: 'operator.cancelled', at, by }
      case 'resolve': {
        const { inclusion, confirmations } = await findForeign(tx, request.hash)
        return { type: 'operator.resolved', at, by, inclusion, confirmations }
      }
      case 'speed-up':
        return { type: 'operator.sped_up', at, by }
    }
  }

  /** Binds only to what is provably the transaction that took the nonce: same account, same nonce, and final. */
  async function findForeign(tx: Transaction, hash: Hash) {
    const { lane } = tx.intent
    const chain = ports.chains.get(lane.chainId)
    const view = ports.viewOf(lane.chainId)
    if (chain === undefined || view === null)
      throw new AppError('chain_unavailable', 'The chain is not followed at the moment.')
    const inclusion = await lookUp(chain, hash, tx)
    const finality = tx.intent.finality ?? ports.finalityOf(lane)
    const status = assessInclusion(inclusion, await reachDown(chain, view, inclusion.blockNumber), finality)
    if (status.type === 'final') return { inclusion, confirmations: status.confirmations }
    throw forbidden(`${hash} is not final yet; wait until it is.`)
  }
}

/** A block below the window is asked for by its number: being deep is not being final, so the same rule judges it. */
async function reachDown(chain: Chain, view: ChainView, number: number): Promise<ChainView> {
  if (number > view.head.number || view.header(number) !== null) return view
  const block = await chain.getBlock(number)
  return { ...view, header: (wanted) => (wanted === number ? block : view.header(wanted)) }
}

async function lookUp(chain: Chain, hash: Hash, tx: Transaction): Promise<Inclusion> {
  const { signer } = tx.intent.lane
  const nonce = nonceOf(tx)
  try {
    const [found, [lookup]] = await Promise.all([chain.findTransaction(hash), chain.findReceipts([hash])])
    if (found === null) throw forbidden(`The chain does not know ${hash}.`)
    if (found.from !== signer || found.nonce !== nonce) {
      throw forbidden(`${hash} is nonce ${found.nonce} of ${found.from}, not nonce ${nonce} of ${signer}.`)
    }
    if (lookup === undefined || lookup.type === 'failed') throw new ChainUnavailable('the receipt could not be read')
    if (lookup.type === 'missing') throw forbidden(`${hash} is not in a block.`)
    return lookup.inclusion
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error
    throw new AppError(
      'chain_unavailable',
      'The chain node cannot be reached; nothing was changed.',
      {},
      { cause: error },
    )
  }
}

function forbidden(message: string): AppError {
  return new AppError('action_forbidden', message, { field: 'hash', action: 'resolve' })
}
