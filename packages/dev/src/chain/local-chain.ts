/**
 * Runs a local chain (anvil) for `drover dev` and for tests.
 *
 * With a state file the chain lasts. anvil is a process of its own: if Drover is killed it keeps mining, and the next
 * start adopts it, so nothing is lost. On `stop` the state is saved first. If anvil is killed too (or the machine goes
 * down) the blocks since the last periodic save are lost, while PostgreSQL has kept all it knew of them. For Drover
 * that is a reorganisation: blocks it recorded are no longer on the chain, and their transactions have to be sent again
 * with the nonces they had. Of transactions already final in the database the chain may then know nothing, and their
 * nonces are missing before the later ones of the same signer: a real chain never does this, and a development folder
 * in that state is best deleted.
 *
 * A restored chain has all blocks, receipts, balances and nonces (anvil 1.7.1). It has lost the pending transactions,
 * the state at earlier blocks (`eth_getBalance` at an old height fails) and thereby the possibility of `anvil_reorg`
 * below the block it was restored at. Keeping those (`--preserve-historical-states`) made the file 20 times larger and
 * a save take 3.3 s instead of 0.05 s after 3,600 blocks.
 *
 * anvil also keeps, by default, the state of every block: in memory, and from the 500th block on the disk, 13 GB for
 * 25,000 empty blocks. A development chain at one block a second would fill a disk in days, so history is pruned.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DevSetupError } from '../dev-setup-error.ts'
import { tryLock } from '../exclusive-lock.ts'
import { findFreePort, findFreePortFrom, isPortFree } from '../free-port.ts'
import { identifyProcess, isAlive, sendSignal, watchExit } from '../process-watch.ts'
import { findAnvil } from './anvil-binary.ts'
import {
  type ChainHome,
  type ChainProcess,
  endAnvil,
  findInstanceId,
  findLeftProcess,
  launchAnvil,
  urlOf,
} from './anvil-process.ts'
import { type ChainStateSaver, createChainStateSaver, saveChainState, unpackChainState } from './chain-state.ts'

export interface LocalChainOptions {
  /** Absent: 8545 or the next free one. 0: any free one. Any other: exactly that one, or an error. */
  readonly port?: number
  /** Default 1; 0 mines only when asked to (`anvil_mine`). */
  readonly blockTimeSeconds?: number
  readonly chainId?: number
  /** Default: the well-known development phrase. */
  readonly mnemonic?: string
  readonly accounts?: number
  /** Where the chain is kept between runs; other files are put beside it. Absent: it lives as long as this process. */
  readonly stateFile?: string
  readonly saveIntervalMs?: number
  readonly extraArgs?: readonly string[]
  readonly log?: (message: string) => void
}

export interface LocalChain {
  readonly rpcUrl: string
  readonly wsUrl: string
  readonly port: number
  readonly pid: number
  /** True when the chain was already running, left over from a Drover that was killed. */
  readonly adopted: boolean
  /** Resolves when the chain's process has ended, for any reason. */
  readonly exited: Promise<void>
  /** Saves the state now; does nothing without a state file. */
  save(): Promise<void>
  stop(): Promise<void>
}

const DEFAULT_PORT = 8545
const DEFAULT_CHAIN_ID = 31_337
const DEFAULT_SAVE_INTERVAL_MS = 5_000
/** Enough for `safe` and `finalized` (32 and 64 blocks back) and for reorgs in tests. */
const HISTORY_BLOCKS = 128
const EXIT_POLL_MS = 250
const PORT_TRIES = 5

export async function startLocalChain(options: LocalChainOptions = {}): Promise<LocalChain> {
  const home = await makeHome(options.stateFile ?? null)
  const release = await lockHome(home)
  try {
    const args = composeArgs(options, home)
    const adopted = await adoptChain(home, args, options)
    const running = adopted ?? (await startChain(home, args, options))
    return present(running, home, options, adopted !== null, release)
  } catch (error) {
    await release()
    throw error
  }
}

function present(
  running: ChainProcess,
  home: ChainHome,
  options: LocalChainOptions,
  adopted: boolean,
  release: () => Promise<void>,
): LocalChain {
  const rpcUrl = urlOf(running.port)
  const saver = startSaving(rpcUrl, running.pid, home, options)
  const anvil = identifyProcess(running.pid)
  const killWithUs = (): boolean => sendSignal(anvil, 'SIGKILL')
  if (home.stateFile === null) process.once('exit', killWithUs)
  const stop = async (): Promise<void> => {
    await saver?.close()
    await saver?.save().catch(saver.report)
    await endAnvil(anvil)
    process.off('exit', killWithUs)
    await release()
  }
  let stopping: Promise<void> | null = null
  return {
    rpcUrl,
    wsUrl: rpcUrl.replace('http', 'ws'),
    port: running.port,
    pid: running.pid,
    adopted,
    exited: watchExit(running.pid, EXIT_POLL_MS),
    save: async () => saver?.save(),
    stop: () => {
      stopping ??= stop()
      return stopping
    },
  }
}

function startSaving(
  rpcUrl: string,
  pid: number,
  { stateFile }: ChainHome,
  options: LocalChainOptions,
): ChainStateSaver | null {
  if (stateFile === null) return null
  return createChainStateSaver({
    rpcUrl,
    stateFile,
    intervalMs: options.saveIntervalMs ?? DEFAULT_SAVE_INTERVAL_MS,
    onError: (error) => {
      // `exited` reports the end of the process.
      if (isAlive(pid)) options.log?.(`the chain's state could not be saved: ${String(error)}`)
    },
  })
}

async function makeHome(stateFile: string | null): Promise<ChainHome> {
  if (stateFile === null) {
    const workDir = await mkdtemp(join(tmpdir(), 'drover-chain-'))
    return { stateFile, workDir, processFile: join(workDir, 'process.json'), logFile: join(workDir, 'anvil.log') }
  }
  const path = resolve(stateFile)
  await mkdir(dirname(path), { recursive: true })
  const workDir = `${path}.work`
  await mkdir(workDir, { recursive: true, mode: 0o700 })
  return { stateFile: path, workDir, processFile: `${path}.process`, logFile: `${path}.log` }
}

/** Returns how to leave the home again. */
async function lockHome(home: ChainHome): Promise<() => Promise<void>> {
  if (home.stateFile === null) return () => rm(home.workDir, { recursive: true, force: true })
  const attempt = await tryLock(`${home.stateFile}.lock`)
  if (attempt.type === 'acquired') return attempt.release
  const advice = 'stop it, or choose another data folder'
  throw new DevSetupError(`The chain in ${home.stateFile} is in use by process ${attempt.pid}: ${advice}.`)
}

function composeArgs(options: LocalChainOptions, home: ChainHome): readonly string[] {
  const blockTime = options.blockTimeSeconds ?? 1
  return [
    // Without CORS: a page of any origin could otherwise read it, and send with its unlocked accounts.
    ...['--host', '127.0.0.1', '--no-cors', '--chain-id', String(options.chainId ?? DEFAULT_CHAIN_ID)],
    ...(blockTime === 0 ? ['--no-mining'] : ['--block-time', String(blockTime)]),
    ...(options.mnemonic === undefined ? [] : ['--mnemonic', options.mnemonic]),
    ...(options.accounts === undefined ? [] : ['--accounts', String(options.accounts)]),
    // Also distinguishes this chain's process from any other anvil: see `isOurs`.
    ...['--cache-path', home.workDir, '--prune-history', String(HISTORY_BLOCKS)],
    ...(options.extraArgs ?? []),
  ]
}

async function adoptChain(
  home: ChainHome,
  args: readonly string[],
  options: LocalChainOptions,
): Promise<ChainProcess | null> {
  const left = await findLeftProcess(home)
  if (left === null) return null
  const wantsOtherPort = (options.port ?? 0) !== 0 && options.port !== left.port
  const answers = left.instanceId !== null && (await findInstanceId(left.port)) === left.instanceId
  const isSame = !wantsOtherPort && JSON.stringify(left.args) === JSON.stringify(args)
  if (answers && isSame) {
    options.log?.(`using the chain that was left running (process ${left.pid}, port ${left.port})`)
    return left
  }
  if (answers && home.stateFile !== null) await saveChainState(urlOf(left.port), home.stateFile)
  await endAnvil(identifyProcess(left.pid))
  return null
}

async function startChain(home: ChainHome, args: readonly string[], options: LocalChainOptions): Promise<ChainProcess> {
  const anvil = await findAnvil(home.workDir)
  const stateCopy = join(home.workDir, 'load.json')
  const hasState = home.stateFile !== null && (await unpackChainState(home.stateFile, stateCopy))
  try {
    for (let tries = 1; ; tries += 1) {
      const port = await choosePort(options.port)
      const outcome = await launchAnvil(anvil, home, port, args, hasState ? ['--load-state', stateCopy] : [])
      if (outcome.type === 'ready') return outcome.running
      if (outcome.type === 'port_taken' && tries < PORT_TRIES) continue
      const output = outcome.type === 'failed' ? outcome.output.trim().split('\n').slice(-12).join('\n') : outcome.type
      throw new DevSetupError(`The local chain (anvil) did not start: ${output}`)
    }
  } finally {
    await rm(stateCopy, { force: true })
  }
}

async function choosePort(wanted: number | undefined): Promise<number> {
  if (wanted === undefined) return findFreePortFrom(DEFAULT_PORT)
  if (wanted === 0) return findFreePort()
  if (await isPortFree(wanted)) return wanted
  throw new DevSetupError(
    `Port ${wanted} for the local chain is taken: stop what listens there, or choose another with --chain-port.`,
  )
}
