/**
 * Reads the balances of all lanes of a chain together. Those that ask while a reading is under way share the next one, so
 * that the number of requests goes by blocks and not by lanes. All are read at the highest block that one of them knows:
 * RPC nodes that are some blocks apart agree on it, or cannot answer.
 */
import type { Address } from '../../core/hex.ts'
import type { Chain } from '../../ports/chain.ts'

export interface BalanceReader {
  /** Null: no node could tell. */
  read(address: Address, height: number): Promise<bigint | null>
}

interface Question {
  readonly address: Address
  readonly height: number
  resolve(wei: bigint | null): void
  reject(error: unknown): void
}

export function createBalanceReader(chain: Pick<Chain, 'getBalances'>): BalanceReader {
  let waiting: Question[] = []
  let isReading = false

  async function readAll(): Promise<void> {
    isReading = true
    // Lets those that ask in the same turn share a request.
    await Promise.resolve()
    while (waiting.length > 0) {
      const asked = waiting
      waiting = []
      await answer(asked)
    }
    isReading = false
  }

  async function answer(asked: readonly Question[]): Promise<void> {
    const addresses = [...new Set(asked.map(({ address }) => address))]
    const height = Math.max(...asked.map((each) => each.height))
    try {
      const balances = await chain.getBalances(addresses, height)
      for (const { address, resolve } of asked) resolve(balances[addresses.indexOf(address)] ?? null)
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }

  return {
    read: (address, height) =>
      new Promise((resolve, reject) => {
        waiting.push({ address, height, resolve, reject })
        if (!isReading) void readAll()
      }),
  }
}
