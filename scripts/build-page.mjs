/** Builds the web page if it is missing or older than its sources, so that a fresh clone can serve it without another command. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const NOT_SOURCES = new Set(['dist', 'node_modules'])

/** @param {string} path @returns {number} */
function newestChange(path) {
  const status = statSync(path)
  if (!status.isDirectory()) return status.mtimeMs
  const names = readdirSync(path).filter((name) => !NOT_SOURCES.has(name))
  return Math.max(status.mtimeMs, ...names.map((name) => newestChange(join(path, name))))
}

/** @param {string} folder of the dashboard package */
function isStale(folder) {
  const page = join(folder, 'dist', 'index.html')
  if (!existsSync(page)) return true
  const built = statSync(page).mtimeMs
  // The folder itself changes with each build, so only what is in it counts.
  const names = readdirSync(folder).filter((name) => !NOT_SOURCES.has(name))
  return names.some((name) => newestChange(join(folder, name)) > built)
}

/** Only these two serve it. @param {readonly string[]} args of the command line */
export function servesPage([command = '', ...rest]) {
  return ['dev', 'start'].includes(command) && !rest.includes('--help') && !rest.includes('-h')
}

/**
 * The service is worth more than its page: if the build fails, this says so and returns.
 * @param {string} folder of the dashboard package
 * @param {(line: string) => void} print
 */
export function buildPage(folder, print) {
  if (!isStale(folder)) return
  print('building the web page …')
  try {
    const manifest = createRequire(join(folder, 'package.json')).resolve('vite/package.json')
    const args = [join(dirname(manifest), 'bin', 'vite.js'), 'build', '--logLevel', 'warn']
    // Standard output belongs to the command that follows.
    execFileSync(process.execPath, args, { cwd: folder, stdio: ['ignore', 2, 2] })
  } catch (error) {
    print(`The web page could not be built: ${error instanceof Error ? error.message : error}`)
  }
}
