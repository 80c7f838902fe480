/**
 * Turns fires that are due into transactions to queue. A fire whose timer is not in the store stays OBSERVED, and the log
 * says so: it is never dropped. If this node does not know of rules that bind a fire, the store refuses the write, and
 * all fires are judged again by what the database knows.
 */
import type { Hash } from '../../core/hex.ts'
import type { KernelId } from '../../core/timer/timer.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { NewTransaction } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import type { BlocksWrite, BlocksWriteResult, HandOff, Incarnation, NewFire } from '../../ports/timer-store.ts'
import type { JudgeFires } from '../rules/judge-fires.ts'
import { formHandOff } from './form-fire.ts'

interface HandOffPorts {
  readonly chainId: number
  readonly clock: Pick<Clock, 'now'>
  readonly random: Pick<Random, 'id'>
  readonly telemetry: Pick<Telemetry, 'log'>
  /** The spending rules; left out: there are none. */
  readonly judgeFires?: JudgeFires
  findIncarnations(kernelIds: readonly KernelId[]): Promise<ReadonlyMap<KernelId, Incarnation>>
}

type HandOffs = BlocksWrite['handOffs']

/** Prepares what is due and writes it. Returns the fires that became transactions, if it was written. */
export type HandOver = (
  due: readonly NewFire[],
  write: (handOffs: HandOffs) => Promise<BlocksWriteResult>,
) => Promise<{ readonly ready: readonly NewFire[]; readonly result: BlocksWriteResult }>

/** Rules can change between judging and writing; more often than this is not a coincidence. */
const MAX_ROUNDS = 5

export function createHandOver(ports: HandOffPorts): HandOver {
  const { chainId, clock, random, telemetry, judgeFires = async (transactions) => transactions } = ports
  /** Of what was due last. A fire that is judged again must replace its own charge, so it keeps its id. */
  let ids: ReadonlyMap<Hash, string> = new Map()

  async function form(due: readonly NewFire[]) {
    const incarnations = await ports.findIncarnations([...new Set(due.map(({ kernelId }) => kernelId))])
    const ready: NewFire[] = []
    const handOffs: HandOff[] = []
    for (const fire of due) {
      const { deliverId, kernelId } = fire
      const incarnation = incarnations.get(kernelId)
      if (incarnation === undefined) {
        telemetry.log('error', 'a timer fired but is not in the store; its fire waits', {
          chainId,
          deliverId,
          kernelId,
        })
        continue
      }
      // It is asked for, and sent when it is met.
      if (incarnation.spec.when !== null && fire.condition === null) continue
      ready.push(fire)
      handOffs.push(formHandOff(fire, incarnation, ids.get(deliverId) ?? random.id(clock.now())))
    }
    ids = new Map(handOffs.map(({ deliverId, transaction }) => [deliverId, transaction.id]))
    return { ready, handOffs }
  }

  return async (due, write) => {
    const { ready, handOffs } = await form(due)
    const transactions = handOffs.map(({ transaction }) => transaction)
    let result: BlocksWriteResult = { type: 'not_judged' }
    for (let round = 0; result.type === 'not_judged' && round < MAX_ROUNDS; round++) {
      const judged = await judgeFires(transactions, { asksAlways: round > 0 })
      result = await write(handOffs.map((handOff, index) => withVerdict(handOff, judged[index] ?? null)))
    }
    return { ready, result }
  }
}

/** Null: refused. */
function withVerdict(handOff: HandOff, transaction: NewTransaction | null): HandOff {
  return transaction === null ? { ...handOff, isRefused: true } : { ...handOff, transaction }
}
