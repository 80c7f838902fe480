/** Watches blocks from outside, in the same way for the service and for the bare sender. */
import type { BenchChain } from './stack.ts'

export interface BlockWatch {
  /** Resolves when the next block is seen. Whatever is compared begins with a block: it may wait a whole one for the last. */
  nextBlock(): Promise<void>
  /** Resolves with the time at which this many had been mined. */
  untilMined(count: number): Promise<number>
  stop(): void
}

const LOOK_EVERY_MS = 20

export async function watchBlocks({ call }: Pick<BenchChain, 'call'>, timeoutMs = 300_000): Promise<BlockWatch> {
  let seen = Number(await call<string>('eth_blockNumber'))
  let mined = 0
  let isStopped = false

  async function look(): Promise<void> {
    const head = Number(await call<string>('eth_blockNumber'))
    for (; seen < head; seen++) {
      const height = `0x${(seen + 1).toString(16)}`
      mined += Number(await call<string>('eth_getBlockTransactionCountByNumber', [height]))
    }
  }

  return {
    nextBlock: async () => {
      const before = seen
      while (seen === before) {
        await look()
        if (seen === before) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      }
    },
    untilMined: async (count) => {
      const deadline = Date.now() + timeoutMs
      while (!isStopped) {
        await look()
        if (mined >= count) return Date.now()
        if (Date.now() > deadline) throw new Error(`only ${mined} of ${count} were mined after ${timeoutMs / 1_000} s`)
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      }
      throw new Error('the watch was stopped')
    },
    stop: () => {
      isStopped = true
    },
  }
}
