/** One node as a user starts it, with a signer for the other tenant, signers for the flood, and an API key for each. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { developmentAccount } from '../../tests/setup/anvil.ts'
import { type BenchBase, createKey, startBenchBase, startBenchNode } from '../flow/stack.ts'
import { keyOf, untilLeased } from '../scale/idle-lanes.ts'

export interface FloodGround extends BenchBase {
  readonly url: string
  readonly pid: number
  readonly signer: { readonly other: string; readonly flood: readonly string[] }
  readonly token: { readonly admin: string; readonly other: string; readonly flood: string }
}

export interface GroundOptions {
  readonly floodSigners?: number
  /** Signers without a transaction. */
  readonly idleSigners?: number
  readonly env?: Readonly<Record<string, string>>
}

export async function startGround(options: GroundOptions = {}): Promise<FloodGround> {
  const { floodSigners = 1, idleSigners = 0, env = {} } = options
  const base = await startBenchBase({
    name: 'floods',
    signers: floodSigners + 1,
    intents: 0,
    blockSeconds: 1,
    preset: 'fast',
    simulate: true,
  })
  try {
    const [other, ...flood] = Array.from({ length: floodSigners + 1 }, (_, index) => developmentAccount(index))
    if (other === undefined) throw new Error('a signer is needed')
    const idle = Array.from({ length: idleSigners }, (_, index) => keyOf(index))
    const signerKeys = [other, ...flood].map(({ privateKey }): string => privateKey).concat(idle)
    const create = (name: string, scopes: string) => createKey(base.databaseUrl, name, scopes)
    const token = {
      admin: create('admin', 'read,send,operate,admin'),
      other: create('other', 'read,send'),
      flood: create('flood', 'read,send'),
    }
    // Thousands of keys are too many for the environment.
    const file = join(base.folder, 'drover.config.json')
    await writeFile(file, JSON.stringify({ signerKeys, signerPolicy: 'fast' }))
    const { url, pid } = await startBenchNode(base, { DROVER_CONFIG_FILE: file, ...env })
    await untilLeased(base.databaseUrl, signerKeys.length)
    return { ...base, url, pid, token, signer: { other: other.address, flood: flood.map(({ address }) => address) } }
  } catch (error) {
    await base.stop()
    throw error
  }
}

export async function post<T>(url: string, token: string, path: string, body: object): Promise<T> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}
