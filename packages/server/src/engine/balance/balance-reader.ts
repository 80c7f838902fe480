/**
 * Reads the balances of all lanes of a chain together. Requests that arrive during a reading share the next one, so the
 * number of RPC requests grows with blocks, not with lanes. All are read at the highest block that any of them knows:
 * RPC nodes that are some blocks apart agree on it, or cannot answer.
 */
import type { Address } from '../../core/hex.ts'
import type { Chain } from '../../ports/chain.ts'

export interface BalanceReader {
  /** Null: no node could answer. */
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
    // Lets calls from the same turn share a request.
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
