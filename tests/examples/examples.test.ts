/** The programs of `examples/` do what they say, run as examples/README.md says, against a real service. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import { COUNTER } from '../setup/contracts.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { placeCode } from '../setup/place-code.ts'
import { startService } from '../setup/service.ts'
import { runExample, startExample } from './run-example.ts'

let chain: TestChain
let service: DroverProcess
let stop: () => Promise<void>

beforeAll(async () => {
  const started = await startService({
    chain: { blockTimeSeconds: 1 },
    env: { DROVER_FINALITY: '1', DROVER_SIGNER_POLICY: 'fast', DROVER_WEBHOOK_ALLOW_PRIVATE: 'true' },
  })
  ;({ chain, drover: service, stop } = started)
})

afterAll(async () => {
  await stop?.()
})

const balanceOf = async (address: string) => BigInt(await chain.rpc<string>('eth_getBalance', [address, 'latest']))

test('send-and-wait', async () => {
  const [accepted, confirmed] = await runExample('send-and-wait', service.url)
  expect(accepted).toMatch(/^accepted [0-9a-f-]{36}$/)
  const [, hash, block, feeWei] = /^confirmed (0x\w{64}) in block (\d+) for (\d+) wei$/.exec(confirmed ?? '') ?? []
  const receipt = await chain.rpc<Record<string, string>>('eth_getTransactionReceipt', [hash])
  expect(receipt).toMatchObject({ status: '0x1', blockNumber: `0x${Number(block).toString(16)}` })
  expect(BigInt(feeWei ?? 0)).toBe(BigInt(receipt.gasUsed ?? 0) * BigInt(receipt.effectiveGasPrice ?? 0))
})

test('batch-with-idempotency, killed after its first payment and started again: each is paid once', async () => {
  const recipients = [3, 4, 5].map((index) => developmentAccount(index).address)
  const before = await Promise.all(recipients.map(balanceOf))
  const killed = startExample('batch-with-idempotency', service.url)
  const first = await killed.lines.next()
  expect(first.value).toMatch(/^payout-2030-01-1 is transaction /)
  killed.kill('SIGKILL')
  expect((await killed.ended).code).toBeNull()
  const lines = await runExample('batch-with-idempotency', service.url)
  expect(lines[0]).toBe(first.value)
  expect(lines.slice(3).map((line) => line.replace(/0x\w{64}$/, 'a hash'))).toEqual(
    [1, 2, 3].map((number) => `payout-2030-01-${number} is paid by a hash`),
  )
  const after = await Promise.all(recipients.map(balanceOf))
  expect(after.map((balance, index) => balance - (before[index] ?? 0n))).toEqual([1_000n, 2_000n, 3_000n])
})

test('tell-errors-apart', async () => {
  const [malformed, rejected, accepted, again, conflict] = await runExample('tell-errors-apart', service.url)
  expect(malformed).toMatch(/^to is wrong: to must be 0x followed by 40 hex digits/)
  expect(rejected).toMatch(/^it would fail on chain: the value is 10{40} wei, but the balance is /)
  expect(accepted).toMatch(/^accepted as [0-9a-f-]{36}$/)
  expect(again).toBe(accepted)
  expect(conflict).toBe(`order-17 was used for something else: ${accepted?.replace('accepted as ', '')}`)
})

test.each([
  ['timers', 'Give the address of a contract'],
  ['reserve-a-nonce', 'Set RPC_URL to a node of the chain'],
])('%s without what it needs says so in one sentence', async (name, sentence) => {
  const { code, errors } = await startExample(name, service.url).ended
  expect(code).toBe(1)
  expect(errors).toMatch(new RegExp(`^${sentence}[^\\n]*\\n$`))
})

test('reserve-a-nonce', async () => {
  const [lent, ended] = await runExample('reserve-a-nonce', service.url, { RPC_URL: chain.rpcUrl })
  const nonce = Number(/^nonce (\d+) is ours until 2/.exec(lent ?? '')?.[1])
  const [, block, hash] = /^succeeded in block (\d+): (0x\w{64})$/.exec(ended ?? '') ?? []
  expect(await chain.rpc('eth_getTransactionByHash', [hash])).toMatchObject({
    nonce: `0x${nonce.toString(16)}`,
    blockNumber: `0x${Number(block).toString(16)}`,
  })
})

test('pay-many, and once more: each is paid once', async () => {
  const recipient = '0x976EA74026E726554dB657fA54763abd0C3a0aa9'
  const before = await balanceOf(recipient)
  const [wrong, paid] = await runExample('pay-many', service.url)
  expect(wrong).toMatch(/^payroll-2030-01-99: to must be 0x followed by 40 hex digits/)
  expect(paid).toBe('99 of 100 are paid')
  expect(await runExample('pay-many', service.url)).toEqual([wrong, paid])
  expect((await balanceOf(recipient)) - before).toBe(990n)
})

test('send-with-viem', async () => {
  expect(await runExample('send-with-viem', service.url)).toEqual(['viem: success', 'ethers: success'])
})

test('receive-webhooks', async () => {
  const receiver = startExample('receive-webhooks', service.url)
  expect((await receiver.lines.next()).value).toMatch(/ webhook\.test $/)
  const [accepted] = await runExample('send-and-wait', service.url)
  const id = accepted?.replace('accepted ', '')
  expect((await receiver.lines.next()).value).toMatch(new RegExp(` finality\\.reached ${id}$`))
  receiver.kill('SIGINT')
  expect(await receiver.ended).toEqual({ code: 0, errors: '' })
  expect((await service.get('/v1/webhooks')).body.items).toEqual([])
})

test('json-rpc', async () => {
  const dead = '0x000000000000000000000000000000000000dEaD'
  const before = await balanceOf(dead)
  expect(await runExample('json-rpc', service.url)).toEqual(['viem: success', 'ethers: success', 'web3.js: success'])
  expect((await balanceOf(dead)) - before).toBe(3n)
})

test('timers: one by interval, one by event and condition, each confirmed and then cancelled', async () => {
  const counter = `0x${'c0'.repeat(20)}`
  await placeCode({ chain, drover: service }, counter, `0x${COUNTER.bytecode.slice(2 + 2 * 11)}`)
  const example = startExample('timers', service.url, [counter])
  const lines = [await example.lines.next(), await example.lines.next()].map(({ value }) => value)
  expect(await example.ended).toEqual({ code: 0, errors: '' })
  expect(lines).toEqual([
    expect.stringMatching(/^poke: fired at block \d+, confirmed as [0-9a-f-]{36}$/),
    expect.stringMatching(/^harvest: fired at block \d+, confirmed as [0-9a-f-]{36}$/),
  ])
  const { items } = (await service.get('/v1/timers')).body
  expect(items.map(({ state }: { state: string }) => state)).toEqual(['CANCELLED', 'CANCELLED'])
})

describe('follow-events', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'drover-example-'))
  })

  afterAll(async () => {
    await rm(folder, { recursive: true })
  })

  /** As many lines as asked for, then Ctrl-C. */
  async function follow(count: number): Promise<readonly number[]> {
    const example = startExample('follow-events', service.url, [join(folder, 'cursor')])
    const seen: number[] = []
    while (seen.length < count) {
      const line = await example.lines.next()
      if (line.done === true) throw new Error(`it ended: ${(await example.ended).errors}`)
      seen.push(Number(line.value.split(' ')[0]))
    }
    example.kill('SIGINT')
    expect(await example.ended).toEqual({ code: 0, errors: '' })
    return seen
  }

  test('resumes where it stopped', async () => {
    await runExample('send-and-wait', service.url)
    const { body } = await service.get('/v1/events?limit=200')
    const all: readonly number[] = body.items.map(({ eventId }: { eventId: number }) => eventId)
    const first = await follow(2)
    const cursor = Number(await readFile(join(folder, 'cursor'), 'utf8'))
    expect(cursor).toBeGreaterThanOrEqual(first.at(-1) ?? 0)
    const left = all.filter((eventId) => eventId > cursor)
    await runExample('send-and-wait', service.url)
    const second = await follow(left.length + 5)
    expect(first).toEqual(all.slice(0, 2))
    expect(second.slice(0, left.length)).toEqual(left)
    expect(second).toEqual([...new Set(second)].sort((a, b) => a - b))
  })
})
