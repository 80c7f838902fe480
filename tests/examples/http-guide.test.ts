/** The commands of the guide to the HTTP API do what the guide says: each is sent to a real service, in order. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, startTestChain, type TestChain } from '../setup/anvil.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type DroverProcess, type HttpAnswer, startDrover } from '../setup/drover-process.ts'

const guide = await readFile(new URL('../../docs/http.md', import.meta.url), 'utf8')
const commands = [...guide.matchAll(/```sh\n# (\d{3})\n(.*?)```/gs)].map(([, status, text = '']) => ({
  ...{ status: Number(status), words: splitWords(text) },
}))

let chain: TestChain
let database: TestDatabase
let drover: DroverProcess
/** Of the transaction that was answered last. */
let id = ''

beforeAll(async () => {
  chain = await startTestChain({ blockTimeSeconds: 1 })
  database = await createTestDatabase()
  drover = await startDrover({
    ...{ databaseUrl: database.url, rpcUrl: chain.rpcUrl, signerKeys: [developmentAccount(0).privateKey] },
    env: { DROVER_FINALITY: '1' },
  })
})

afterAll(async () => {
  await drover?.end()
  await database?.drop()
  await chain?.stop()
})

/** As a shell would, as far as the guide goes: single quotes, and lines that go on. */
function splitWords(text: string): readonly string[] {
  return [...text.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}

async function run(words: readonly string[]): Promise<HttpAnswer> {
  const valuesOf = (flag: string) => words.filter((_, index) => words[index - 1] === flag)
  const url = words.find((word) => word.startsWith('http'))?.replaceAll('$ID', id) ?? ''
  const path = url.replace('http://127.0.0.1:4747', '')
  const headers = Object.fromEntries(valuesOf('-H').map((header) => header.split(': ', 2)))
  return drover.request(valuesOf('-X')[0] ?? 'GET', path, valuesOf('-d')[0], headers)
}

test('the guide has commands', () => {
  expect(commands.length).toBeGreaterThanOrEqual(8)
  expect(guide.match(/```sh\n/g)).toHaveLength(commands.length)
  for (const { words } of commands) expect(words[0]).toBe('curl')
})

test('each is answered as it says', async () => {
  for (const { status, words } of commands) {
    const answer = await run(words)
    expect(answer.status, `${words.join(' ')}: ${JSON.stringify(answer.body)}`).toBe(status)
    const results: readonly { status: number }[] = answer.body.results ?? []
    for (const result of results) expect(result.status).toBe(202)
    const wait = answer.headers.get('drover-wait')
    if (wait !== null) expect(wait).toBe('reached')
    if (typeof answer.body.hashes === 'object') id = answer.body.id
  }
})
