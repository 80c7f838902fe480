/**
 * A real geth with one block per second, if installed (`$GETH`, or `geth` on the path). `--state.scheme hash --gcmode
 * archive` lets a chain survive a `kill -9`: with the default scheme geth comes back at block 0 and mines nothing. A
 * restart uses the same folder and port; it may still lose the newest block and part of the pool.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { callAnvil } from '../../packages/dev/src/chain/call-anvil.ts'
import { findFreePort } from '../../packages/dev/src/free-port.ts'
import { eventually } from './eventually.ts'

export interface GethOptions {
  /** Absent: geth's own limits. */
  readonly pool?: {
    readonly globalSlots: number
    readonly accountSlots: number
    readonly globalQueue: number
    readonly accountQueue: number
  }
  readonly extraArgs?: readonly string[]
}

export interface GethChain {
  readonly rpcUrl: string
  rpc<T = unknown>(method: string, params?: readonly unknown[]): Promise<T>
  blockNumber(): Promise<number>
  /** Sends each of them 1,000 ETH from the developer account, and waits until it arrived. */
  fund(addresses: readonly string[]): Promise<void>
  /** `kill -9`. */
  kill(): Promise<void>
  /** Starts it again on the same folder and port; resolves once it makes blocks. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const binary = process.env.GETH ?? 'geth'
const isInstalled = spawnSync(binary, ['version'], { stdio: 'ignore' }).status === 0

/** For `scenario(…, { needs: GETH_MISSING })`: null if geth can be started. */
export const GETH_MISSING: string | null = isInstalled ? null : 'no geth on the path or in $GETH'

const LIVE = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of LIVE) child.kill('SIGKILL')
})

export async function startGeth(options: GethOptions = {}): Promise<GethChain> {
  const folder = await mkdtemp(join(tmpdir(), 'drover-geth-'))
  const port = await findFreePort()
  const rpcUrl = `http://127.0.0.1:${port}`
  const rpc = async <T>(method: string, params: readonly unknown[] = []): Promise<T> =>
    (await callAnvil(rpcUrl, method, params)) as T
  const blockNumber = async () => Number(await rpc<string>('eth_blockNumber'))
  let child: ChildProcess | null = null

  async function launch(): Promise<void> {
    const started = spawn(binary, composeArgs(folder, port, options), { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    started.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000)
    })
    child = started
    LIVE.add(started)
    started.once('close', () => LIVE.delete(started))
    const tryHeight = () => blockNumber().catch(() => -1)
    const height = await eventually(tryHeight, (seen) => seen >= 0, { timeoutMs: 30_000 }).catch((error: unknown) => {
      throw new Error(`geth did not start:\n${output}`, { cause: error })
    })
    await eventually(blockNumber, (now) => now > height, { timeoutMs: 30_000 })
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === null) return
    const ended = once(child, 'close')
    child.kill(signal)
    await ended
    child = null
  }

  await launch()
  return {
    rpcUrl,
    rpc,
    blockNumber,
    fund: async (addresses) => {
      const [from] = await rpc<string[]>('eth_accounts')
      for (const to of addresses)
        await rpc('eth_sendTransaction', [{ from, to, value: `0x${(10n ** 21n).toString(16)}` }])
      const balances = () => Promise.all(addresses.map((address) => rpc<string>('eth_getBalance', [address, 'latest'])))
      await eventually(balances, (seen) => seen.every((balance) => BigInt(balance) > 0n))
    },
    kill: () => end('SIGKILL'),
    restart: launch,
    stop: async () => {
      await end('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function composeArgs(folder: string, port: number, { pool, extraArgs }: GethOptions): readonly string[] {
  const limits = pool && {
    '--txpool.globalslots': pool.globalSlots,
    '--txpool.accountslots': pool.accountSlots,
    '--txpool.globalqueue': pool.globalQueue,
    '--txpool.accountqueue': pool.accountQueue,
  }
  return [
    ...['--dev', '--dev.period', '1', '--state.scheme', 'hash', '--gcmode', 'archive', '--datadir', folder],
    ...['--http', '--http.port', String(port), '--http.api', 'eth,net,web3,txpool', '--authrpc.port', '0'],
    ...['--port', '0', '--nodiscover', '--maxpeers', '0', '--ipcdisable', '--verbosity', '2', '--cache', '64'],
    ...Object.entries(limits ?? {}).flatMap(([name, value]) => [name, String(value)]),
    ...(extraArgs ?? []),
  ]
}
