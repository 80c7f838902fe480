/** Whether `drover doctor` means a running `drover dev`, and what it says if the folder it was given does not count. */
import type { Finding } from '@drover/server/admin'
import { type ConfigInput, resolveSettings } from '@drover/server/settings'
import type { DevRecord } from '../run/dev-record.ts'

export interface FindDevPorts {
  /** What is recorded in the data folder. */
  read(): Promise<DevRecord | null>
  /** One that was killed leaves its record, and is no service. */
  isUp(dev: DevRecord): Promise<boolean>
}

export type FoundDev =
  | { readonly type: 'running'; readonly dev: DevRecord }
  | { readonly type: 'not_running' }
  /** A user who names a database or a node means that one. */
  | { readonly type: 'configured' }

export async function findDev(input: ConfigInput, { read, isUp }: FindDevPorts): Promise<FoundDev> {
  const { values, chains } = resolveSettings(input)
  const isConfigured = values.databaseUrl !== undefined || chains.some((chain) => chain.values.rpcUrl !== undefined)
  if (isConfigured) return { type: 'configured' }
  const dev = await read()
  return dev !== null && (await isUp(dev)) ? { type: 'running', dev } : { type: 'not_running' }
}

/** For a data folder that was named, and does not count. */
export function judgeDataDir({ type }: Exclude<FoundDev, { type: 'running' }>, dataDir: string): Finding {
  const [why, fix] =
    type === 'configured'
      ? ['a database or an RPC node is configured', 'leave out --data-dir, or the other settings']
      : ['no `drover dev` runs there', `start it with \`drover dev --data-dir ${dataDir}\``]
  return { check: '--data-dir', status: 'warning', detail: `${dataDir} is ignored, because ${why}`, fix }
}
