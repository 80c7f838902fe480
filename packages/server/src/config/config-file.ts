/**
 * Finds and reads the optional `drover.config.json`. A `drover.config.ts` is a program: it runs only where the operator
 * named it, and never because it lies in a folder in which somebody types a command.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigProblems } from './config-problems.ts'
import type { ConfigFile } from './resolve-settings.ts'

const NAME = 'drover.config.json'
const PROGRAM = 'drover.config.ts'

/** `path` is what the operator asked for; null looks in the folder and is content to find nothing. */
export async function readConfigFile(path: string | null, folder: string): Promise<ConfigFile | null> {
  const found = path === null ? findFile(folder) : resolve(folder, path)
  if (found === null) return null
  if (!existsSync(found)) throw problem(found, 'does not exist')
  switch (extname(found)) {
    case '.json':
      return { path: found, content: await readJson(found) }
    case '.ts':
      return { path: found, content: await importTypeScript(found) }
    default:
      throw problem(found, 'must end in .json or .ts')
  }
}

function findFile(folder: string): string | null {
  const path = resolve(folder, NAME)
  if (existsSync(path)) return path
  if (!existsSync(resolve(folder, PROGRAM))) return null
  throw problem(
    resolve(folder, PROGRAM),
    `is a program, so Drover runs it only if you name it: pass --config-file ${PROGRAM}, or set DROVER_CONFIG_FILE`,
  )
}

async function readJson(path: string): Promise<unknown> {
  const content = await readFile(path, 'utf8')
  try {
    return JSON.parse(content)
  } catch {
    // The parser's own message repeats a piece of the file, which may be a key: say where, not what.
    throw problem(path, 'is not valid JSON')
  }
}

async function importTypeScript(path: string): Promise<unknown> {
  try {
    const module: { readonly default?: unknown } = await import(pathToFileURL(path).href)
    return module.default
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION')
      throw problem(
        path,
        'needs a runtime that reads TypeScript (Node.js 22.18 or later, or `node --import tsx`); otherwise use drover.config.json',
      )
    throw problem(path, `could not be loaded (${error instanceof Error ? error.name : 'unknown error'})`, error)
  }
}

function problem(path: string, message: string, cause?: unknown): ConfigProblems {
  const problems = new ConfigProblems([{ place: path, message }])
  if (cause !== undefined) problems.cause = cause
  return problems
}
