/** What every service needs: its own chain and database, started and stopped together. */
import { startTestChain, type TestChain, type TestChainOptions } from './anvil.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

export interface Ground {
  readonly chain: TestChain
  readonly database: TestDatabase
  stop(): Promise<void>
}

export async function startGround(options: TestChainOptions = {}): Promise<Ground> {
  const [chain, database] = await Promise.all([startTestChain(options), createTestDatabase()])
  return {
    chain,
    database,
    stop: async () => {
      await Promise.all([database.drop(), chain.stop()])
    },
  }
}
