/** Vitest global setup: the web page, built once for all files that open it, and only if it has changed. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../packages/dashboard', import.meta.url))
const RESULT = join(FOLDER, 'dist', 'index.html')
/** The sources of the page: its own files, and generated files that it shares with other packages. */
const SOURCES = [FOLDER, ...['client', 'server'].map((name) => join(FOLDER, '..', name, 'src'))]

export default function setup(): void {
  if (existsSync(RESULT) && Math.max(...SOURCES.map(newest)) < statSync(RESULT).mtimeMs) return
  execFileSync('npm', ['run', 'build'], { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] })
}

function newest(folder: string): number {
  const skipped = new Set(['dist', 'node_modules'])
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !skipped.has(name))
  return Math.max(
    0,
    ...entries.map((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs
    }),
  )
}
