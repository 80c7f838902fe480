/** What a running `drover dev` is: a file in its data folder, so that other commands in the same place find it. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface DevRecord {
  readonly url: string
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly signerKeys: readonly string[]
}

export const DEFAULT_DATA_DIR = '.drover'

/** Returns how to take it away again. */
export async function writeDevRecord(dataDir: string, record: DevRecord): Promise<() => Promise<void>> {
  const { url, rpcUrl, databaseUrl, signerKeys } = record
  const file = fileIn(dataDir)
  await writeFile(file, `${JSON.stringify({ url, rpcUrl, databaseUrl, signerKeys })}\n`, { mode: 0o600 })
  return () => rm(file, { force: true })
}

/** Null where there is none, or one that is only half written. One that was killed leaves its record: whether it runs is to be found out. */
export async function readDevRecord(dataDir: string): Promise<DevRecord | null> {
  try {
    const record: unknown = JSON.parse(await readFile(fileIn(dataDir), 'utf8'))
    return isDevRecord(record) ? record : null
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return null
    throw error
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'dev.json')
}

function isDevRecord(value: unknown): value is DevRecord {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Readonly<Record<string, unknown>>
  const isText = (field: unknown): boolean => typeof field === 'string'
  const keys = fields.signerKeys
  return [fields.url, fields.rpcUrl, fields.databaseUrl].every(isText) && Array.isArray(keys) && keys.every(isText)
}
