/** A stuck hook in an operator's module: its default export receives the question and returns a decision. */
import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { StuckHook } from '../ports/stuck-hook.ts'
import { parseStuckDecision } from './stuck-decision.ts'

class StuckModuleInvalid extends Error {
  override readonly name = 'StuckModuleInvalid'
}

export async function loadStuckModule(path: string, folder: string): Promise<StuckHook> {
  const file = isAbsolute(path) ? path : resolve(folder, path)
  const loaded: unknown = await import(pathToFileURL(file).href)
  const decide = typeof loaded === 'object' && loaded !== null && 'default' in loaded ? loaded.default : undefined
  if (typeof decide !== 'function') throw new StuckModuleInvalid(`${path} must have a function as its default export`)
  return { decide: async (question) => parseStuckDecision(await decide(question)) }
}
