/** One real service with its JSON-RPC endpoint, for tests that use it like any library. */
import { type DevelopmentAccount, developmentAccount, type TestChain } from './anvil.ts'
import type { DroverProcess } from './drover-process.ts'
import { startService } from './service.ts'

export interface JsonRpcService {
  readonly chain: TestChain
  readonly drover: DroverProcess
  readonly databaseUrl: string
  /** http://…/rpc, and the same path for WebSockets. */
  readonly rpcUrl: string
  readonly socketUrl: string
  /** A signer of each preset, and an account that is not a signer. */
  readonly fast: DevelopmentAccount
  readonly stable: DevelopmentAccount
  readonly stranger: DevelopmentAccount
  /** Posts one call or a batch unchanged; returns the parsed JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever JSON comes back
  call(body: unknown, headers?: Record<string, string>): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever JSON comes back
  rpc(method: string, ...params: readonly unknown[]): Promise<any>
  close(): Promise<void>
}

export interface JsonRpcOptions {
  /** 0: blocks only when told to. */
  readonly blockTimeSeconds?: number
  readonly env?: Record<string, string>
}

export async function startJsonRpcService(options: JsonRpcOptions = {}): Promise<JsonRpcService> {
  const [fast, stable, stranger] = [developmentAccount(0), developmentAccount(1), developmentAccount(2)]
  const { chain, database, drover, stop } = await startService({
    chain: { blockTimeSeconds: options.blockTimeSeconds ?? 1 },
    signers: [fast, stable],
    env: {
      DROVER_FINALITY: '1',
      DROVER_SIGNER_POLICY: `stable,${fast.address}=fast`,
      // Long, so that a busy machine does not lead to an answer without a hash.
      DROVER_RPC_HOLD_TIMEOUT: '60s',
      ...options.env,
    },
  })
  const call: JsonRpcService['call'] = async (body, headers) => (await drover.post('/rpc', body, headers)).body
  return {
    databaseUrl: database.url,
    chain,
    drover,
    fast,
    stable,
    stranger,
    call,
    rpcUrl: `${drover.url}/rpc`,
    socketUrl: `${drover.url.replace('http', 'ws')}/rpc`,
    rpc: (method, ...params) => call({ jsonrpc: '2.0', id: 1, method, params }),
    close: stop,
  }
}
