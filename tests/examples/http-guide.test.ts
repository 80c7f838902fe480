/** The commands of the guide to the HTTP API do what the guide says: each is pasted into a shell, in order. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DroverProcess } from '../setup/drover-process.ts'
import { startService } from '../setup/service.ts'

const guide = await readFile(new URL('../../docs/http.md', import.meta.url), 'utf8')
const commands = [...guide.matchAll(/```sh\n# (\d{3})\n(.*?)```/gs)].map(([, status, text = '']) => ({
  status: Number(status),
  text,
}))
/** Keeps the headers of the last answer beside what the command prints. */
const SHELL = 'curl() { command curl -sS --dump-header "$HEADERS" "$@"; }\n'

let drover: DroverProcess
let stop: () => Promise<void>
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-guide-'))
  const started = await startService({ chain: { blockTimeSeconds: 1 }, env: { DROVER_FINALITY: '1' } })
  ;({ drover, stop } = started)
})

afterAll(async () => {
  await stop?.()
  await rm(folder, { recursive: true })
})

/** As a reader would paste it, save for the port. */
async function paste(text: string) {
  const file = join(folder, 'headers')
  const script = SHELL + text.replaceAll('http://127.0.0.1:4747', drover.url)
  const { stdout } = await promisify(execFile)('sh', ['-c', script], { env: { ...process.env, HEADERS: file } })
  const [first = '', ...rest] = (await readFile(file, 'utf8')).trim().split('\r\n')
  const headers = new Headers(
    rest.map((line): [string, string] => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? '']),
  )
  return { status: Number(first.split(' ')[1]), headers, body: JSON.parse(stdout) }
}

test('the guide has commands', () => {
  expect(commands.length).toBeGreaterThanOrEqual(8)
  expect(guide.match(/```sh\n/g)).toHaveLength(commands.length)
})

test('each command gets the answer in the guide', async () => {
  for (const { status, text } of commands) {
    const answer = await paste(text)
    expect(answer.status, `${text}: ${JSON.stringify(answer.body)}`).toBe(status)
    const results: readonly { status: number }[] = answer.body.results ?? []
    for (const result of results) expect(result.status).toBe(202)
    const wait = answer.headers.get('drover-wait')
    if (wait !== null) expect(wait).toBe('reached')
  }
})
