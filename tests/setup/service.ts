/** One real service with its own chain and database, for most files that need a process. */
import { type DevelopmentAccount, developmentAccount, type TestChain, type TestChainOptions } from './anvil.ts'
import type { TestDatabase } from './database.ts'
import { type DroverProcess, startDrover } from './drover-process.ts'
import { startGround } from './ground.ts'

export interface TestService {
  readonly chain: TestChain
  readonly database: TestDatabase
  readonly drover: DroverProcess
  /** Another process with the same database, chain, keys and settings. */
  startPeer(env?: Record<string, string>): Promise<DroverProcess>
  /** Ends the first process, then its chain and database. Tests end the peers they started. */
  stop(): Promise<void>
}

export interface TestServiceOptions {
  /** Default: blocks only when told to. */
  readonly chain?: TestChainOptions
  /** Default: the first development account. */
  readonly signers?: readonly Pick<DevelopmentAccount, 'privateKey'>[]
  readonly env?: Record<string, string>
  /** The RPC URL of the service, instead of the chain itself. */
  readonly rpcUrl?: (chain: TestChain) => string | Promise<string>
  /** Runs before the service starts, for example to create the first key. */
  readonly prepare?: (database: TestDatabase) => Promise<void>
}

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const { signers = [developmentAccount(0)], env = {}, rpcUrl, prepare } = options
  const { chain, database, stop } = await startGround(options.chain)
  // Long, so that a busy machine does not lead to acceptance without simulation.
  const patient = { DROVER_SIMULATION_TIMEOUT: '30s' }
  const start = async (more: Record<string, string> = {}): Promise<DroverProcess> =>
    await startDrover({
      databaseUrl: database.url,
      rpcUrl: (await rpcUrl?.(chain)) ?? chain.rpcUrl,
      signerKeys: signers.map(({ privateKey }) => privateKey),
      env: { ...patient, ...env, ...more },
    })
  try {
    await prepare?.(database)
    const drover = await start()
    return {
      chain,
      database,
      drover,
      startPeer: start,
      stop: async () => {
        // The test is over, so nothing needs a clean stop.
        await drover.end('SIGKILL')
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
