/** A Python with web3.py: a named one, or a virtual environment that pip fills once and later runs reuse. */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const HOME = fileURLToPath(new URL('../../node_modules/.cache/drover-web3-py', import.meta.url))
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
    await mkdir(HOME, { recursive: true })
    await run('python3', ['-m', 'venv', HOME])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', 'web3>=7,<9']
    await run(own, pip, { timeout: PIP_TIMEOUT_MS })
    return { type: 'found', python: own }
  } catch (error) {
    const [first = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return { type: 'missing', reason: `web3.py cannot be had from pip: ${first}` }
  }
}

function hasWeb3(python: string): Promise<boolean> {
  return run(python, ['-c', 'import web3']).then(
    () => true,
    () => false,
  )
}
