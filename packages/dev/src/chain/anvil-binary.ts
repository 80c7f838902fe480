/** Finds the anvil program that npm installed for this platform, whether or not its install script ran. */
import { constants } from 'node:fs'
import { access, chmod, copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DevSetupError } from '../dev-setup-error.ts'

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'win32-x64': '@foundry-rs/anvil-win32-amd64',
}
const PROGRAM = process.platform === 'win32' ? 'anvil.exe' : 'anvil'

/** `cacheDir` takes a copy where the installed file is not executable and may not be changed. */
export async function findAnvil(cacheDir: string): Promise<string> {
  const program = join(dirname(resolveManifest()), 'bin', PROGRAM)
  if (await isExecutable(program)) return program
  try {
    await chmod(program, 0o755)
    return program
  } catch {
    const copy = join(cacheDir, PROGRAM)
    await copyFile(program, copy)
    await chmod(copy, 0o755)
    return copy
  }
}

function resolveManifest(): string {
  const platform = `${process.platform}-${process.arch}`
  const name = PACKAGES[platform]
  const instead = 'set DROVER_RPC_URL to a node of your own and use `drover start`'
  if (name === undefined) throw new DevSetupError(`There is no local chain (anvil) for ${platform}: ${instead}.`)
  try {
    // The platform's package is a dependency of anvil's, and may be installed where only that one sees it.
    const anvil = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json')
    return createRequire(anvil).resolve(`${name}/package.json`)
  } catch (error) {
    const advice = `run npm install without --omit=optional, or ${instead}`
    throw new DevSetupError(`The local chain for ${platform} (${name}) is not installed: ${advice}.`, { cause: error })
  }
}

function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}
