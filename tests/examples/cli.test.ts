/** Every command line in the guide is run as it stands there, against a real service. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { startCli } from '../setup/cli-terminal.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { startService } from '../setup/service.ts'

const guide = await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8')
const lines = [...guide.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) => block.trim().split('\n'))
const table = /```csv\n(.*?)```/s.exec(guide)?.[1] ?? ''

const SIGNER = developmentAccount(0).address
const TO = developmentAccount(9).address

let service: DroverProcess
let stop: () => Promise<void>
let folder: string
let ID: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-guide-'))
  await writeFile(join(folder, 'payouts.csv'), table)
  const started = await startService({
    chain: { blockTimeSeconds: 1 },
    env: { DROVER_FINALITY: '1', DROVER_SIGNER_POLICY: 'fast' },
  })
  ;({ drover: service, stop } = started)
  ID = (await service.post('/v1/transactions', { from: SIGNER, to: TO, value: '1' })).body.id
})

afterAll(async () => {
  await stop?.()
  await rm(folder, { recursive: true })
})

/** As a shell would hand them over. */
async function expand(line: string): Promise<readonly string[]> {
  const script = `drover() { printf '%s\\0' "$@"; }; ${line}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: { SIGNER, TO, ID } })
  return stdout.split('\0').slice(0, -1)
}

test('the guide has commands', () => {
  expect(lines.length).toBeGreaterThanOrEqual(10)
})

test.each(lines)('%s', async (line) => {
  const { code, stderr } = await startCli(await expand(line), { env: { DROVER_URL: service.url }, folder }).ended
  expect(code, stderr).toBe(0)
})
