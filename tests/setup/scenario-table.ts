/** Vitest global setup: collects the rows of the fault scenarios and prints them as one table when the run is over. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import type { ScenarioRow } from '../faults/scenario.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A file with one row of JSON per scenario. */
    readonly scenarioFile: string
  }
}

/** Shared by all projects of a run, so that the last one to end prints the rows of all. */
interface Collection {
  readonly folder: string
  readonly file: string
  users: number
}

const shared = globalThis as { droverScenarios?: Promise<Collection> | undefined }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.droverScenarios ??= open()
  const collection = await shared.droverScenarios
  collection.users++
  project.provide('scenarioFile', collection.file)
  return async () => {
    if (--collection.users > 0) return
    shared.droverScenarios = undefined
    const rows = (await readFile(collection.file, 'utf8')).split('\n').filter((line) => line !== '')
    await rm(collection.folder, { recursive: true })
    if (rows.length > 0) process.stdout.write(formatTable(rows.map((line) => JSON.parse(line) as ScenarioRow)))
  }
}

async function open(): Promise<Collection> {
  const folder = await mkdtemp(join(tmpdir(), 'drover-scenarios-'))
  const file = join(folder, 'rows.ndjson')
  await writeFile(file, '')
  return { folder, file, users: 0 }
}

function formatTable(rows: readonly ScenarioRow[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length))
  const lines = rows.map(({ name, outcome, seconds, remark }) =>
    `${name.padEnd(width)}  ${outcome.padEnd(7)}  ${seconds.toFixed(1).padStart(7)}  ${remark}`.trimEnd(),
  )
  const head = `${'scenario'.padEnd(width)}  held     seconds`
  const held = rows.filter(({ outcome }) => outcome === 'held').length
  return `\n${[head, ...lines].join('\n')}\n${held} of ${rows.length} fault scenarios held\n\n`
}
