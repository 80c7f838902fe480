/** `drover batch` with thousands of rows, stopped politely, killed, and run again: every row is on the chain, once. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import { startCli } from '../setup/cli-terminal.ts'
import { type DroverProcess, launchDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import type { LaunchedProcess } from '../setup/launch-process.ts'
import { startService } from '../setup/service.ts'

const ROWS = 2_000
const sender = developmentAccount(0)
const recipientOf = (row: number) => `0x${(0xd0_00_00_00 + row).toString(16).padStart(40, '0')}`

let chain: TestChain
let service: DroverProcess
let stop: () => Promise<void>
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-batch-'))
  const started = await startService({
    chain: { blockTimeSeconds: 1 },
    env: {
      DROVER_FINALITY: '1',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_MAX_IN_FLIGHT: '2000',
      DROVER_BLOCK_TIME: '1s',
    },
  })
  ;({ chain, drover: service, stop } = started)
})

afterAll(async () => {
  await stop?.()
  await rm(folder, { recursive: true })
})

function run(...args: readonly string[]): LaunchedProcess {
  return launchDrover(['batch', ...args], { DROVER_URL: service.url }, folder)
}

async function countJournal(name: string): Promise<number> {
  const text = await readFile(join(folder, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return new Set([...text.matchAll(/"row":(\d+),/g)].map(([, row]) => row)).size
}

/** Standard output has one line of JSON; what is beside it is on standard error. */
function reportOf(ended: LaunchedProcess) {
  const line = ended
    .output()
    .split('\n')
    .find((text) => text.startsWith('{'))
  return JSON.parse(line ?? '')
}

const journaled = (atLeast: number) =>
  eventually(
    () => countJournal('payouts.csv.journal'),
    (rows) => rows >= atLeast,
    { everyMs: 10 },
  )

interface Sent {
  readonly from: string
  readonly to: string
  readonly nonce: string
  readonly value: string
}

/** Everything that the sender has on the chain. */
async function readSent(): Promise<readonly Sent[]> {
  const sent: Sent[] = []
  const head = await chain.blockNumber()
  for (let number = 0; number <= head; number++) {
    const block = await chain.rpc<{ transactions: readonly Sent[] }>('eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      true,
    ])
    sent.push(...block.transactions.filter(({ from }) => from === sender.address.toLowerCase()))
  }
  return sent
}

const title = `${ROWS} rows, stopped by SIGINT and by SIGKILL and resumed: ${ROWS} on chain, each once`

test(title, { timeout: 300_000 }, async () => {
  const rows = Array.from({ length: ROWS }, (_, index) => `${recipientOf(index + 1)},${index + 1}`)
  await writeFile(join(folder, 'payouts.csv'), ['to,value', ...rows, ''].join('\n'))
  const args = ['payouts.csv', '--from', sender.address, '--gas-limit', '21000', '--no-simulate', '--chunk', '20']

  const stopped = run(...args, '--concurrency', '2', '--out', 'partial.jsonl')
  await journaled(100)
  stopped.child.kill('SIGINT')
  expect(await stopped.exited).toBe(130)
  expect(stopped.output()).toContain('Run the same command again to continue')
  const afterStop = await countJournal('payouts.csv.journal')
  expect(afterStop).toBeLessThan(ROWS)
  const partial = (await readFile(join(folder, 'partial.jsonl'), 'utf8')).trim().split('\n')
  expect(partial).toHaveLength(afterStop)

  const killed = run(...args, '--concurrency', '2')
  // Soon, so that a busy machine does not see its end before that.
  await journaled(afterStop + 100)
  killed.child.kill('SIGKILL')
  expect(await killed.exited).toBeNull()
  expect(await countJournal('payouts.csv.journal')).toBeLessThan(ROWS)

  const last = run(...args, '--out', 'results.csv', '--json')
  expect(await last.exited, last.output()).toBe(0)
  const report = reportOf(last)
  expect(report).toMatchObject({ end: 'done', total: ROWS, accepted: ROWS, mined: ROWS, confirmed: ROWS, failed: 0 })

  const sent = await readSent()
  expect(sent).toHaveLength(ROWS)
  expect(new Set(sent.map(({ nonce }) => nonce)).size).toBe(ROWS)
  const values = new Map(sent.map(({ to, value }) => [to, Number(value)]))
  for (let row = 1; row <= ROWS; row++) expect(values.get(recipientOf(row))).toBe(row)
  const results = (await readFile(join(folder, 'results.csv'), 'utf8')).trim().split('\n').slice(1)
  expect(results).toHaveLength(ROWS)
  for (const line of results) expect(line).toMatch(/,0x[0-9a-f]{64},CONFIRMED,$/)
})

test('the same file is the same batch, even without its journal and under another path', async () => {
  const before = await chain.rpc('eth_getTransactionCount', [sender.address, 'pending'])
  await writeFile(join(folder, 'copy.txt'), await readFile(join(folder, 'payouts.csv')))
  const again = run(
    ...['copy.txt', '--format', 'csv', '--from', sender.address, '--gas-limit', '21000', '--no-simulate'],
    ...['--chunk', '500', '--json'],
  )
  expect(await again.exited, again.output()).toBe(0)
  expect(reportOf(again)).toMatchObject({ known: ROWS, confirmed: ROWS, failed: 0 })
  expect(await chain.rpc('eth_getTransactionCount', [sender.address, 'pending'])).toBe(before)
})

test('a row that was changed after it was sent is reported, and nothing is sent', async () => {
  const before = await chain.rpc('eth_getTransactionCount', [sender.address, 'pending'])
  const text = await readFile(join(folder, 'payouts.csv'), 'utf8')
  await writeFile(join(folder, 'payouts.csv'), text.replace(`${recipientOf(17)},17\n`, `${recipientOf(17)},18\n`))
  const args = ['--from', sender.address, '--gas-limit', '21000', '--no-simulate']
  const changed = run('payouts.csv', ...args)
  expect(await changed.exited).toBe(2)
  expect(changed.output()).toContain('1 rows have changed since they were sent (row 17)')

  // Without the journal the service finds it, as long as the batch has its name.
  const [head = ''] = (await readFile(join(folder, 'payouts.csv.journal'), 'utf8')).split('\n')
  const { batchId } = JSON.parse(head)
  const conflict = run('payouts.csv', ...args, '--batch-id', batchId, '--journal', 'other.journal', '--json')
  expect(await conflict.exited).toBe(4)
  expect(reportOf(conflict).causes).toMatchObject([{ code: 'idempotency_conflict', count: 1, lines: [18] }])
  expect(await chain.rpc('eth_getTransactionCount', [sender.address, 'pending'])).toBe(before)
})

test('a file with problems is not sent at all, and every bad line is named', async () => {
  const before = await chain.rpc('eth_getTransactionCount', [sender.address, 'pending'])
  await writeFile(join(folder, 'wrong.csv'), `to,value\n${recipientOf(1)},1\nme,1\n${recipientOf(2)},1.5\n`)
  const options = { env: { DROVER_URL: service.url }, folder }
  const told = await startCli(['batch', 'wrong.csv', '--from', sender.address], options).ended
  expect(told).toMatchObject({ code: 2, stdout: 'wrong.csv has errors. Nothing was sent.\n' })
  expect(told.stderr).toMatch(/^ {2}line 3: to must be .*\n {2}line 4: value must be a whole number of wei\n$/)
  const { code, stdout } = await startCli(['batch', 'wrong.csv', '--from', sender.address, '--json'], options).ended
  expect(code).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, sent: 0, problems: [{ line: 3 }, { line: 4 }] })
  expect(await chain.rpc('eth_getTransactionCount', [sender.address, 'pending'])).toBe(before)
})

test('rows that the service refuses are reported by cause, and the others are sent', async () => {
  const rows = [`${recipientOf(9_001)},1`, `${recipientOf(9_002)},1000000000ether`, `${recipientOf(9_003)},1`]
  await writeFile(join(folder, 'mixed.csv'), ['to,value', ...rows, ''].join('\n'))
  const args = ['batch', 'mixed.csv', '--from', sender.address, '--out', 'mixed.jsonl']
  const { code, stdout } = await startCli(args, { env: { DROVER_URL: service.url }, folder }).ended
  expect(code).toBe(4)
  expect(stdout).toMatch(
    /^3 rows: 2 accepted, 2 mined, 2 confirmed, 1 failed\.\n {2}1 × transaction_rejected: .* \(line 3\)\n/,
  )
  const results = (await readFile(join(folder, 'mixed.jsonl'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(results.map(({ row, state }) => [row, state])).toEqual([
    [1, 'CONFIRMED'],
    [2, 'REFUSED'],
    [3, 'CONFIRMED'],
  ])
  for (const row of [9_001, 9_003]) {
    expect(await chain.rpc('eth_getBalance', [recipientOf(row), 'latest'])).toBe('0x1')
  }
})
