/** Says what became of an order to speed up a transaction: the node that runs the signer decides a moment after it was taken. */
import { DroverError } from '@drover/client'
import { EXIT, type ExitCode } from '../exit-code.ts'
import {
  type HistoryEntry,
  isAtLimit,
  judgeSpeedUp,
  type OrderedTransaction,
  type SpeedUpEnd,
} from './judge-speed-up.ts'

const DECIDED_WITHIN_MS = 5_000
const ASK_EVERY_MS = 250

export interface SpeedUpPorts {
  /** Aborted with what the command then fails with. */
  readonly signal: AbortSignal
  /** Its newest entries, oldest first. */
  readHistory(): Promise<readonly HistoryEntry[]>
  readTransaction(): Promise<OrderedTransaction>
  pause(ms: number): Promise<void>
  note(text: string): void
}

type Seen = SpeedUpEnd | { readonly type: 'undecided' } | { readonly type: 'unread'; readonly why: string }

export async function reportSpeedUp(id: string, ports: SpeedUpPorts): Promise<ExitCode | undefined> {
  const seen = await awaitSpeedUp(ports)
  const [look, act] = [`To see the result: drover tx explain ${id}`, `What to do: drover tx explain ${id}`]
  switch (seen.type) {
    case 'signed':
      return undefined
    case 'refused':
      ports.note(`Not sped up: ${seen.message}. ${act}`)
      return EXIT.refused
    case 'above_limit':
      ports.note(`The order stands, but the price is above the limit. ${act}`)
      return EXIT.refused
    case 'undecided':
      ports.note(`Ordered, not signed yet. ${look}`)
      return undefined
    case 'unread':
      ports.note(`Ordered. The result could not be read: ${seen.why} ${look}`)
      return undefined
  }
}

async function awaitSpeedUp({ signal, readHistory, readTransaction, pause }: SpeedUpPorts): Promise<Seen> {
  try {
    for (let waited = 0; waited < DECIDED_WITHIN_MS; waited += ASK_EVERY_MS) {
      const end = judgeSpeedUp(await readHistory())
      if (end !== null) return end
      await pause(ASK_EVERY_MS)
      signal.throwIfAborted()
    }
    // Only now: an error from before the order may be out of date, if the limit was raised.
    const [history, tx] = [await readHistory(), await readTransaction()]
    return judgeSpeedUp(history) ?? { type: isAtLimit(tx, history) ? 'above_limit' : 'undecided' }
  } catch (error) {
    signal.throwIfAborted()
    // The order was taken, whether or not this key may read what became of it.
    if (!(error instanceof DroverError)) throw error
    return { type: 'unread', why: error.detail }
  }
}
