/** One real service with its own chain and database: what most files that need a process start with. */
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
  /** Ends the first process, then what it stood on. Peers are ended by who started them. */
  stop(): Promise<void>
}

export interface TestServiceOptions {
  /** Default: blocks only when told to. */
  readonly chain?: TestChainOptions
  /** Default: the first development account. */
  readonly signers?: readonly Pick<DevelopmentAccount, 'privateKey'>[]
  readonly env?: Record<string, string>
  /** What the service talks to instead of the chain itself. */
  readonly rpcUrl?: (chain: TestChain) => string | Promise<string>
  /** Done before the service starts, such as making its first key. */
  readonly prepare?: (database: TestDatabase) => Promise<void>
}

export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const { signers = [developmentAccount(0)], env = {}, rpcUrl, prepare } = options
  const { chain, database, stop } = await startGround(options.chain)
  // A busy machine is no reason to accept without trying it out.
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
        // A test is over: nothing of it needs an end in order.
        await drover.end('SIGKILL')
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
