/**
 * Vitest global setup: bundles the compiled service into a few files. Tests start it hundreds of times, and half of a
 * start would be finding and reading a thousand modules.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { bundleService } from './bundle-service.ts'
import { MAIN } from './main.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The bundled service. */
    readonly droverMain: string
  }
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

const shared = globalThis as { droverMain?: Promise<string> | undefined }

export default async function setup(project: TestProject): Promise<void> {
  shared.droverMain ??= compile()
  project.provide('droverMain', await shared.droverMain)
}

async function compile(): Promise<string> {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'compile.mjs')], { stdio: 'inherit' })
  return await bundleService({ root: ROOT, entry: MAIN })
}
