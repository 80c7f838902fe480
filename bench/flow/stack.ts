/** Chain, database and the service as a user starts it: built, as its own process, with an API key. */
import { spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { callAnvil } from '../../packages/dev/src/chain/call-anvil.ts'
import { startLocalChain } from '../../packages/dev/src/chain/local-chain.ts'
import { startEmbeddedPostgres } from '../../packages/dev/src/postgres/embedded-postgres.ts'
import { developmentAccount } from '../../tests/setup/anvil.ts'
import { launchProcess } from '../../tests/setup/launch-process.ts'
import type { Scenario } from './scenario.ts'

export interface Account {
  readonly address: `0x${string}`
  readonly privateKey: `0x${string}`
}

export interface BenchChain {
  readonly rpcUrl: string
  readonly pid: number
  call<T>(method: string, params?: readonly unknown[]): Promise<T>
  stop(): Promise<void>
}

export interface BenchStack {
  readonly chain: BenchChain
  readonly accounts: readonly Account[]
  readonly databaseUrl: string
  readonly postgresPid: number
  readonly service: { readonly url: string; readonly pid: number; readonly token: string }
  stop(): Promise<void>
}

const MAIN = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url))

export async function startBenchChain({ signers, blockSeconds }: Scenario, stateFile?: string): Promise<BenchChain> {
  const chain = await startLocalChain({
    port: 0,
    ...(stateFile !== undefined && { stateFile }),
    accounts: signers,
    blockTimeSeconds: blockSeconds,
    extraArgs: ['--disable-block-gas-limit'],
  })
  return {
    rpcUrl: chain.rpcUrl,
    pid: chain.pid,
    stop: () => chain.stop(),
    call: async <T>(method: string, params: readonly unknown[] = []) =>
      (await callAnvil(chain.rpcUrl, method, params)) as T,
  }
}

export interface BenchBase {
  readonly chain: BenchChain
  readonly databaseUrl: string
  readonly postgresPid: number
  /** For files of the run. */
  readonly folder: string
  /** Something else to stop, before the chain and database. */
  onStop(end: () => Promise<unknown>): void
  stop(): Promise<void>
}

const RUNNING = new Set<() => Promise<void>>()

/** Ends what a run started, if it is interrupted. */
export async function stopBenches(): Promise<void> {
  await Promise.all([...RUNNING].map((stop) => stop()))
}

/** A chain and a database, without the service. They last in `kept`, if it is given, and else end with the run. */
export async function startBenchBase(scenario: Scenario, kept?: string): Promise<BenchBase> {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end()
    RUNNING.delete(stop)
  }
  RUNNING.add(stop)
  try {
    const folder = kept ?? (await mkdtemp(join(tmpdir(), 'drover-bench-')))
    if (kept === undefined) stops.push(() => rm(folder, { recursive: true, force: true }))
    else await mkdir(folder, { recursive: true })
    // Root runs PostgreSQL as another user, who needs access to the folder.
    await chmod(folder, 0o711)
    const chain = await startBenchChain(scenario, kept && join(kept, 'chain.json'))
    stops.push(chain.stop)
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') })
    stops.push(() => postgres.stop())
    const { databaseUrl, pid: postgresPid } = postgres
    return { chain, databaseUrl, postgresPid, folder, stop, onStop: (end) => void stops.push(end) }
  } catch (error) {
    await stop()
    throw error
  }
}

export interface BenchNode {
  readonly url: string
  readonly pid: number
  /** Ends it with a signal, and waits until it has ended. */
  end(signal: NodeJS.Signals): Promise<unknown>
  /** The first such line of its log. */
  lineWhere(fits: (line: string) => boolean): Promise<string>
}

/** Starts a node of the service on it, as a user would. */
export async function startBenchNode(
  { chain, databaseUrl, onStop }: BenchBase,
  env: Readonly<Record<string, string>>,
): Promise<BenchNode> {
  const launched = launchProcess([...nodeArguments(), MAIN, 'start'], {
    DROVER_DATABASE_URL: databaseUrl,
    DROVER_RPC_URL: chain.rpcUrl,
    DROVER_PORT: '0',
    ...env,
  })
  const end = (signal: NodeJS.Signals): Promise<unknown> => {
    launched.child.kill(signal)
    return launched.exited
  }
  onStop(() => end('SIGTERM'))
  const line = await launched.lineWhere((text) => text.includes('Drover is ready'))
  const { url } = JSON.parse(line) as { readonly url: string }
  return { url, pid: launched.child.pid ?? 0, end, lineWhere: launched.lineWhere }
}

export async function startBenchStack(scenario: Scenario): Promise<BenchStack> {
  const base = await startBenchBase(scenario)
  try {
    const { chain, databaseUrl, postgresPid, stop } = base
    const accounts = Array.from({ length: scenario.signers }, (_, index) => developmentAccount(index))
    const token = createKey(databaseUrl, 'bench', 'read,send,operate,admin')
    const node = await startBenchNode(base, {
      DROVER_SIGNER_KEYS: accounts.map(({ privateKey }) => privateKey).join(','),
      DROVER_SIGNER_POLICY: scenario.preset,
      ...scenario.tuned,
    })
    return { chain, accounts, databaseUrl, postgresPid, service: { url: node.url, pid: node.pid, token }, stop }
  } catch (error) {
    await base.stop()
    throw error
  }
}

/** As in deploy/, and more Node arguments, for example `BENCH_NODE_ARGUMENTS=--cpu-prof`. */
function nodeArguments(): readonly string[] {
  return ['--v8-pool-size=0', ...(process.env.BENCH_NODE_ARGUMENTS?.split(' ') ?? [])]
}

export function createKey(databaseUrl: string, name: string, scopes: string): string {
  const args = [MAIN, 'key', 'create', '--name', name, '--scope', scopes, '--json']
  const made = spawnSync(process.execPath, args, {
    env: { ...process.env, DROVER_DATABASE_URL: databaseUrl },
    encoding: 'utf8' as const,
  })
  const token = /drv_[0-9a-f]+_[\w-]+/.exec(made.stdout)?.[0]
  if (token === undefined) throw new Error(`no API key was made: ${made.stderr}`)
  return token
}
