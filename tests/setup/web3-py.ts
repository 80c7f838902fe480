/**
 * A Python with web3.py: a named one, or a virtual environment that pip fills once and later runs reuse. It lies beside
 * pip's own cache, outside the clone, because `npm ci` deletes node_modules.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'drover-tests')
const HOME = join(CACHE, 'web3-py')
const PROGRAM = process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python'
const PIP_TIMEOUT_MS = 200_000

export type Web3Py =
  | { readonly type: 'found'; readonly python: string }
  /** Why there is none. */
  | { readonly type: 'missing'; readonly reason: string }

/** `DROVER_TEST_PYTHON` names a Python with web3.py. */
export async function findWeb3Py(): Promise<Web3Py> {
  const own = join(HOME, PROGRAM)
  for (const python of [process.env.DROVER_TEST_PYTHON, own]) {
    if (python !== undefined && (await hasWeb3(python))) return { type: 'found', python }
  }
  try {
    await install()
    return { type: 'found', python: own }
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return { type: 'missing', reason: `web3.py cannot be had from pip: ${first}` }
  }
}

/** It gets its name only when complete: another run may be looking for it, or installing it too. */
async function install(): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const draft = await mkdtemp(join(CACHE, 'draft-'))
  try {
    await run('python3', ['-m', 'venv', draft])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'web3>=7,<9']
    await run(join(draft, PROGRAM), pip, { timeout: PIP_TIMEOUT_MS })
    // One that is there and cannot import web3 is broken, for example because its Python was removed.
    if (!(await hasWeb3(join(HOME, PROGRAM)))) {
      await rm(HOME, { recursive: true, force: true })
      await rename(draft, HOME)
    }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

function hasWeb3(python: string): Promise<boolean> {
  return run(python, ['-c', 'import web3']).then(
    () => true,
    () => false,
  )
}
