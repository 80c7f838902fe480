/**
 * Keeps a local chain's state on disk.
 *
 * anvil can write its state itself (`--state-interval`), but in place: a crash while it writes leaves half a file, with
 * which it then refuses to start. So we ask for the state, which comes compressed, and replace the file in one step. The
 * state grows with every block (measured: 6 MB for 3,600 empty blocks, 39 MB for 23,600, 10 times less compressed)
 * and anvil is busy while it collects it (50 to 100 ms and 500 ms), so the pause between two saves grows as well.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { DevSetupError } from '../dev-setup-error.ts'
import { errorCode } from '../error-code.ts'
import { replaceFile } from '../replace-file.ts'
import { callAnvil } from './call-anvil.ts'

/** At most this share of the time goes into saving. */
const SAVE_SHARE = 1 / 50
const SAVE_TIMEOUT_MS = 120_000

export interface ChainStateSaver {
  save(): Promise<void>
  /** Reports a failed save. */
  report(error: unknown): void
  /** Ends the periodic saving and waits for one under way. */
  close(): Promise<void>
}

export function createChainStateSaver(options: {
  readonly rpcUrl: string
  readonly stateFile: string
  readonly intervalMs: number
  readonly onError: (error: unknown) => void
}): ChainStateSaver {
  let underway: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let isClosed = false

  const save = (): Promise<void> => {
    underway ??= saveChainState(options.rpcUrl, options.stateFile).finally(() => {
      underway = null
    })
    return underway
  }
  const schedule = (pauseMs: number): void => {
    if (isClosed) return
    timer = setTimeout(async () => {
      const startedAt = performance.now()
      await save().catch(options.onError)
      schedule(Math.max(options.intervalMs, (performance.now() - startedAt) / SAVE_SHARE))
    }, pauseMs).unref()
  }
  schedule(options.intervalMs)

  return {
    save,
    report: options.onError,
    close: async () => {
      isClosed = true
      if (timer !== null) clearTimeout(timer)
      await underway?.catch(options.onError)
    },
  }
}

export async function saveChainState(rpcUrl: string, stateFile: string): Promise<void> {
  const dump = await callAnvil(rpcUrl, 'anvil_dumpState', [], SAVE_TIMEOUT_MS)
  if (typeof dump !== 'string') throw new Error('anvil_dumpState did not answer with text')
  await replaceFile(stateFile, Buffer.from(dump.slice(2), 'hex'))
}

/** Unpacks the saved state for `anvil --load-state`; false where nothing has been saved. */
export async function unpackChainState(stateFile: string, target: string): Promise<boolean> {
  let packed: Buffer
  try {
    packed = await readFile(stateFile)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
  try {
    await writeFile(target, await promisify(gunzip)(packed), { mode: 0o600 })
    return true
  } catch (error) {
    const advice = 'delete the data folder to start with a new chain and database'
    throw new DevSetupError(`The chain state in ${stateFile} cannot be read: ${advice}.`, { cause: error })
  }
}
