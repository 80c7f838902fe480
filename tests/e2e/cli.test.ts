/** Every command that talks to a service, for people and for programs, against a real one; also those that docs/rules.md leaves to it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { describeCommands, listNodes } from '../../packages/cli/src/completion/command-tree.ts'
import { createProcessTerminal } from '../../packages/cli/src/output/terminal.ts'
import { createProgram } from '../../packages/cli/src/run-cli.ts'
import { createRedactor } from '../../packages/server/src/telemetry/redactor.ts'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import { type CliOptions, type CliResult, startCli } from '../setup/cli-terminal.ts'
import { revertingCode } from '../setup/contracts.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { placeCode } from '../setup/place-code.ts'
import { startService } from '../setup/service.ts'

const [fast, other] = [developmentAccount(0), developmentAccount(1)]
const to = developmentAccount(9).address
const why = ['--reason', 'a test']

let chain: TestChain
let service: DroverProcess
let stop: () => Promise<void>
let receiver: Server
let received = 0

beforeAll(async () => {
  const started = await startService({
    chain: { blockTimeSeconds: 1 },
    signers: [fast, other],
    env: { DROVER_FINALITY: '1', DROVER_SIGNER_POLICY: 'fast', DROVER_WEBHOOK_ALLOW_PRIVATE: 'true' },
  })
  ;({ chain, drover: service, stop } = started)
  receiver = createServer((_, response) => {
    received++
    response.end()
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
})

afterAll(async () => {
  receiver?.close()
  await stop?.()
})

/** Commands that the service carried out or refused, by their names and how they were asked to answer. */
const exercised = new Set<string>()

async function cli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const result = await startCli(args, { ...options, env: { DROVER_URL: service.url, ...options.env } }).ended
  const path = LEAVES.find((leaf) => leaf.every((word, index) => args[index] === word))
  if ((result.code === 0 || result.code === 4) && path !== undefined)
    exercised.add(`${path.join(' ')}${args.includes('--json') ? ' --json' : ''}`)
  return result
}

const terminal = createProcessTerminal()
const program = createProgram({ terminal, redactor: createRedactor([]), finish: () => undefined })
const LEAVES = listNodes(describeCommands(program))
  .filter(({ children, options }) => children.length === 0 && options.some(({ long }) => long === '--api-key-file'))
  .map(({ path }) => path)

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await cli([...args, '--json'])
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' })
  expect(stdout.trim().split('\n')).toHaveLength(1)
  return JSON.parse(stdout)
}

async function human(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args)
  expect(code, `${args.join(' ')}: ${stderr}`).toBe(0)
  return stdout
}

const send = (...args: readonly string[]) => json('tx', 'send', '--from', fast.address, '--to', to, ...args)

describe('tx', () => {
  test('send, then show, list and explain it', async () => {
    const tx = await send(
      '--value',
      '0.001ether',
      '--request-id',
      'cli-1',
      '--metadata',
      'order=17',
      '--wait',
      'confirmed',
    )
    expect(tx).toMatchObject({
      state: 'CONFIRMED',
      value: '1000000000000000',
      requestId: 'cli-1',
      metadata: { order: '17' },
    })
    const receipt = await chain.rpc<{ status: string }>('eth_getTransactionReceipt', [tx.hash])
    expect(receipt.status).toBe('0x1')

    expect(await json('tx', 'show', tx.hash)).toMatchObject({ id: tx.id, state: 'CONFIRMED' })
    expect(await human('tx', 'show', tx.id)).toMatch(/^state +CONFIRMED \(final\)$/m)
    expect((await json('tx', 'list', '--request-id', 'cli-1')).items.map(({ id }: { id: string }) => id)).toEqual([
      tx.id,
    ])
    expect(await human('tx', 'list', '--state', 'confirmed')).toContain(tx.hash)
    expect(await json('tx', 'explain', tx.id)).toMatchObject({ cause: 'confirmed' })
    expect(await human('tx', 'explain', tx.id)).toMatch(/^cause +confirmed$/m)
    expect((await json('tx', 'history', tx.id)).items.at(-1)).toMatchObject({ type: 'finality.reached' })
    expect(await human('tx', 'history', tx.id)).toContain('nonce.allocated')
    const newest = await json('tx', 'history', tx.id, '--newest-first', '--limit', '1')
    expect(newest).toMatchObject({ items: [{ type: 'finality.reached' }], next: expect.any(Number) })
    const before = await json('tx', 'history', tx.id, '--newest-first', '--limit', '1', '--after', String(newest.next))
    expect(before.items[0].eventId).toBeLessThan(newest.next)
    expect(await json('tx', 'receipt', tx.id, '--logs')).toMatchObject({ status: 'success', logs: [], logCount: 0 })
    expect(await human('tx', 'receipt', tx.id)).toMatch(/^fee +\S+ \w+ \(.* per gas\)$/m)
    expect((await json('tx', 'attempts', tx.id)).items).toMatchObject([{ hash: tx.hash, kind: 'original' }])
    expect(await human('tx', 'attempts', tx.id)).toContain(tx.hash)
    expect(await json('tx', 'confirmations', tx.id)).toMatchObject({ final: true })
    expect(await human('tx', 'confirmations', tx.id)).toMatch(/^final +yes$/m)
  })

  test('list filters by receiver, metadata, request id prefix and time, in either order', async () => {
    const [first, second] = [
      await send('--value', '1', '--request-id', 'list-1', '--metadata', 'kind=list'),
      await send('--value', '1', '--request-id', 'list-2', '--metadata', 'kind=list'),
    ]
    const list = async (...args: readonly string[]) =>
      (await json('tx', 'list', ...args)).items.map(({ id }: { id: string }) => id)
    expect(await list('--request-id-prefix', 'list-')).toEqual([second.id, first.id])
    expect(await list('--metadata', 'kind=list', '--oldest-first')).toEqual([first.id, second.id])
    expect(await list('--to', other.address, '--metadata', 'kind=list')).toEqual([])
    expect(await list('--to', to, '--metadata', 'kind=list', '--until', second.createdAt)).toEqual([first.id])
  })

  test('send calls a function with its arguments', async () => {
    const args = ['--function', 'transfer(address,uint256)', '--arg', fast.address, '--arg', '1000']
    const tx = await send(...args)
    expect(tx.data).toBe(`0xa9059cbb${fast.address.slice(2).toLowerCase().padStart(64, '0')}${'3e8'.padStart(64, '0')}`)
    expect(await human('tx', 'send', '--from', fast.address, '--to', to, '--value', '1')).toMatch(
      /^accepted [0-9a-f-]{36}\n$/,
    )
  })

  test('watch shows the steps: in place on a terminal, one line each in a pipe, JSON lines with --json', async () => {
    // No block before it is watched, so that there is something to see.
    await chain.setBlockInterval(0)
    const { id } = await send('--value', '1')
    const watching = startCli(['tx', 'watch', id], { env: { DROVER_URL: service.url }, columns: 100 })
    await eventually(
      async () => stripVTControlCharacters(watching.stdout()),
      (text) => /● sent +0x/.test(text),
    )
    await chain.setBlockInterval(1)
    const live = await watching.ended
    expect(live.code).toBe(0)
    // Drawn at least twice, the second time over the first.
    expect(live.stdout).toContain('\u001b[6A')
    const last = stripVTControlCharacters(live.stdout.split('\u001b[0J').at(-1) ?? '')
    expect(last).toMatch(
      /● accepted +\S+\n● nonce +\d+\n● sent +0x\w{64}\n● mined +block \d+\n● confirmations +1\/1\n● final +CONFIRMED/,
    )
    const plain = await human('tx', 'watch', id)
    expect(plain).toMatch(/^\S+ final CONFIRMED \(CONFIRMED final\)\n$/)
    const { id: next } = await send('--value', '1')
    const { code, stdout } = await cli(['tx', 'watch', next, id, '--json'])
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(code).toBe(0)
    expect(lines.filter((tx) => tx.id === next).at(-1)).toMatchObject({ state: 'CONFIRMED' })
  })

  test('Ctrl-C stops watching, not the transaction, and says how to watch again', async () => {
    await chain.setBlockInterval(0)
    const { id } = await send('--value', '1')
    const run = startCli(['tx', 'watch', id], { env: { DROVER_URL: service.url } })
    await eventually(
      async () => run.stdout(),
      (text) => text.includes('sent'),
    )
    run.interrupt()
    const { code, stderr } = await run.ended
    expect(code).toBe(130)
    expect(stderr).toContain(`drover tx watch ${id}`)
    const late = await cli(['tx', 'watch', id, '--timeout', '300ms'])
    expect(late.code).toBe(5)
    await chain.setBlockInterval(1)
    expect(await human('tx', 'watch', id)).toContain('CONFIRMED')
  })

  test('operator actions', async () => {
    await json('signer', 'pause', other.address, ...why)
    const queue = () => json('tx', 'send', '--from', other.address, '--to', to, '--value', '1')
    const { id } = await queue()
    expect(await json('tx', 'suspend', id, ...why)).toMatchObject({ subState: 'suspended' })
    expect(await human('tx', 'explain', id)).toContain(`drover tx resume ${id} --reason "…"`)
    expect(await human('tx', 'resume', id, ...why)).toMatch(/^state +QUEUED/m)
    expect(await human('tx', 'suspend', id, ...why)).toContain('suspended')
    expect(await json('tx', 'resume', id, ...why)).toMatchObject({ state: 'QUEUED' })
    expect(await json('tx', 'cancel', id, ...why)).toMatchObject({ state: 'CANCELLED' })
    expect(await human('tx', 'cancel', (await queue()).id, ...why)).toContain('CANCELLED')
    const hash = ['--hash', `0x${'12'.repeat(32)}`]
    for (const mode of [[], ['--json']]) {
      for (const action of ['retry', 'requeue', 'close']) {
        expect((await cli(['tx', action, id, ...why, ...mode])).code).toBe(4)
      }
      expect((await cli(['tx', 'resolve', id, ...hash, ...why, ...mode])).code).toBe(4)
    }
    await human('signer', 'resume', other.address, ...why)
    await chain.setBlockInterval(0)
    const sent = await send('--value', '1', '--wait', 'submitted')
    await json('tx', 'speed-up', sent.id, ...why)
    const bumped = await eventually(
      () => json('tx', 'show', sent.id),
      ({ attempts }) => attempts === 2,
    )
    expect(bumped.hashes).toHaveLength(2)
    expect(await human('tx', 'speed-up', sent.id, ...why)).toContain(sent.id)
    await chain.setBlockInterval(1)
    expect(await human('tx', 'watch', sent.id)).toContain('CONFIRMED')
  })
})

describe('signer', () => {
  test('list, show, policy, pause and resume', async () => {
    expect((await json('signer', 'list')).items).toHaveLength(2)
    expect(await human('signer', 'list')).toContain(fast.address)
    expect(await json('signer', 'show', fast.address)).toMatchObject({ address: fast.address })
    expect(await human('signer', 'show', fast.address)).toMatch(/^policy preset +fast$/m)
    const shown = () => human('signer', 'show', fast.address)
    await eventually(shown, (text) => /^chain count +latest \d+, pending \d+, at 20/m.test(text))
    const change = ['--max-fee', '500gwei', '--low-balance', '0.5ether', '--label', 'payouts', '--max-in-flight', '32']
    expect(await json('signer', 'policy', fast.address, ...change, ...why)).toMatchObject({
      label: 'payouts',
      policy: { maxFeePerGas: '500000000000', lowBalance: '500000000000000000', maxInFlight: 32 },
    })
    expect(await human('signer', 'policy', fast.address, '--no-label', '--max-fee', 'none')).toMatch(
      /maxFeePerGas +none/,
    )
    expect((await cli(['signer', 'policy', fast.address])).code).toBe(2)
    expect(await human('signer', 'pause', other.address, ...why)).toMatch(/^status +paused$/m)
    expect(await json('signer', 'resume', other.address, ...why)).toMatchObject({ paused: false })
  })

  test('add, fill-gap and reset-nonce', async () => {
    // What is registered is changed, and not made again.
    const add = ['signer', 'add', fast.address, '--chain-id', '31337', '--preset', 'fast']
    expect(await cli(add)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('is already registered on chain 31337'),
    })
    expect((await cli([...add, '--json'])).code).toBe(4)
    const fill = ['signer', 'fill-gap', fast.address, ...why]
    expect(await cli(fill)).toMatchObject({ code: 4, stderr: expect.stringContaining('no gap to fill') })
    expect((await cli([...fill, '--json'])).code).toBe(4)
    expect(await json('signer', 'reset-nonce', fast.address, ...why)).toMatchObject({ state: 'DONE' })
    expect(await human('signer', 'reset-nonce', fast.address, ...why)).toMatch(/^state +DONE$/m)
    // Nothing is in flight: there is nothing to cancel first, and the order is soon over.
    const { id } = await json('signer', 'reset-nonce', fast.address, '--cancel-in-flight', ...why)
    const show = () => json('signer', 'reset', fast.address, id)
    const done = await eventually(show, ({ state }) => state === 'DONE')
    expect(done).toMatchObject({ cancelsInFlight: true, progress: { total: 0, left: 0 } })
    expect(await human('signer', 'reset', fast.address, id)).toMatch(/^in flight +0 of 0 cancelled/m)
    // What it finds after a restore: tests/e2e/restore.test.ts.
    expect(await human('signer', 'compare', fast.address)).toMatch(/^The chain has nothing of 0x/)
    expect(await json('signer', 'compare', fast.address)).toMatchObject({ items: [], notFound: [], cancelled: [] })
  })

  test('nonces for callers that sign themselves', async () => {
    const { items, lockOwner } = await json('signer', 'reserve', other.address, '--ttl', '1m', '--count', '2')
    const [first, second] = items.map(({ id }: { id: string }) => id)
    const env = { DROVER_LOCK_OWNER: lockOwner, DROVER_URL: service.url }
    const act = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await cli(args, { env })
      expect(code, stderr).toBe(0)
      return stdout
    }
    expect(await json('signer', 'reservation', first)).toMatchObject({ state: 'RESERVED' })
    expect(await human('signer', 'reservation', first)).toMatch(/^state +RESERVED$/m)
    await act('signer', 'extend-nonce', first, '--ttl', '2m')
    expect(JSON.parse(await act('signer', 'extend-nonce', first, '--ttl', '2m', '--json'))).toMatchObject({
      ttlMs: 120_000,
    })
    const wrong = await cli(['signer', 'release-nonce', first], { env: { ...env, DROVER_LOCK_OWNER: 'somebody-else' } })
    expect(wrong.code).toBe(4)
    expect(JSON.parse(await act('signer', 'release-nonce', second, '--json'))).toMatchObject({ state: 'RELEASED' })
    expect(await act('signer', 'release-nonce', first)).toMatch(/^state +RELEASED$/m)
    const proof = /^lock owner +(\S+)$/m.exec(await human('signer', 'reserve', other.address, '--ttl', '5s'))?.[1]
    expect(proof).toBeDefined()
  })

  test('an operator lists reserved nonces and takes them back', async () => {
    await json('signer', 'reserve', other.address, '--count', '1')
    const { items } = await json('signer', 'reservations', other.address)
    expect(items.at(-1)).toMatchObject({ reservation: { state: expect.stringMatching(/REQUESTED|RESERVED/) } })
    expect(await human('signer', 'reservations', other.address)).toMatch(/NONCE +STATE +HOLDER/)
    const order = ['signer', 'release-reservations', other.address, ...why]
    expect((await json(...order)).items).toContainEqual(expect.objectContaining({ outcome: 'released' }))
    const nobody = ['--tenant', 'nobody', '--key', 'none']
    for (const action of ['release', 'fill'])
      expect(await human('signer', `${action}-reservations`, other.address, ...why, ...nobody)).toBe(
        'No reserved nonces.\n',
      )
    expect(await json('signer', 'fill-reservations', other.address, ...why, ...nobody)).toEqual({ items: [] })
  })

  test('the holder uses a reserved nonce for its own transaction', async () => {
    const { items, lockOwner } = await json('signer', 'reserve', other.address, '--ttl', '1m')
    const [{ id, nonce }] = items
    const hash = await chain.rpc<string>('eth_sendTransaction', [
      { from: other.address, to, value: '0x1', nonce: `0x${nonce.toString(16)}` },
    ])
    const env = { DROVER_LOCK_OWNER: lockOwner }
    const used = await cli(['signer', 'use-nonce', id, '--hash', hash, '--json'], { env })
    expect(JSON.parse(used.stdout)).toMatchObject({ state: 'USED', hash })
    expect((await cli(['signer', 'use-nonce', id, '--hash', hash], { env })).stdout).toContain(hash)
  })
})

describe('custody', () => {
  test('verify the keys; a signer with a reserved nonce cannot be removed', async () => {
    const { items } = await json('signer', 'verify')
    expect(items).toMatchObject([{ verified: true }, { verified: true }])
    expect(await human('signer', 'verify', fast.address)).toMatch(/^0x\w{40} +verified/m)
    await json('signer', 'reserve', other.address, '--ttl', '1m')
    const remove = ['signer', 'remove', other.address, ...why]
    expect(await cli(remove)).toMatchObject({ code: 4, stderr: expect.stringContaining('signer_busy') })
    expect((await cli([...remove, '--json'])).code).toBe(4)
    await json('signer', 'release-reservations', other.address, ...why)
  })

  test('rules: tried on the past, set, shown and cleared; what waits for approval takes only named keys', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'drover-rules-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'rules.json')
    await writeFile(file, JSON.stringify({ approval: { above: '0', of: 1, keys: ['ann'] } }))
    expect(await json('rules', 'test', file, '--from', fast.address)).toMatchObject({ refused: 0 })
    expect(await human('rules', 'test', file, '--since', '720h')).toMatch(
      /^\d+ allowed, 0 refused, \d+ would need approval\.$/m,
    )
    expect(await human('policy', 'test', file)).toMatch(/would need approval/)
    expect(await json('policy', 'test', file)).toMatchObject({ refused: 0 })
    expect(await json('rules', 'set', fast.address, file)).toMatchObject({ rules: { approval: { of: 1 } } })
    expect(await human('rules', 'set', fast.address, file, '--reason', 'a new approver')).toContain('ann')
    expect(JSON.stringify(await json('audit'))).toContain('reason: a new approver')
    expect(await human('rules', 'show', fast.address)).toMatch(new RegExp(`rules of +signer ${fast.address}[^]*ann`))
    expect(await json('rules', 'show', fast.address)).toMatchObject({ rules: { approval: { keys: ['ann'] } } })
    const { id } = await send('--value', '1')
    expect(await json('tx', 'show', id)).toMatchObject({ state: 'QUEUED', subState: 'awaiting_approval' })
    for (const verdict of ['approve', 'reject']) {
      expect(await cli(['tx', verdict, id, ...why])).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('API key'),
      })
      expect((await cli(['tx', verdict, id, ...why, '--json'])).code).toBe(4)
    }
    expect(await json('tx', 'cancel', id, ...why)).toMatchObject({ state: 'CANCELLED' })
    expect(await json('rules', 'clear', fast.address)).toMatchObject({ rules: null })
    expect(await human('rules', 'clear', fast.address)).toContain('no spending rules')
  })
})

describe('events, chains, nodes, audit', () => {
  test('events: after a cursor, completions only, and followed until Ctrl-C', async () => {
    const { stdout } = await cli(['events', '--json'])
    const all = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(all.map(({ eventId }) => eventId)).toEqual(all.map(({ eventId }) => eventId).sort((a, b) => a - b))
    const completions = await cli(['events', '--completions', '--json'])
    const finals = completions.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).transactionId)
    expect(new Set(finals).size).toBe(finals.length)
    const some = await human('events', '--after', String(all[1]?.eventId), '--limit', '2')
    expect(
      some
        .trim()
        .split('\n')
        .map((line) => Number(line.split(' ')[0])),
    ).toEqual([all[2]?.eventId, all[3]?.eventId])
    const run = startCli(['events', '--follow', '--json', '--after', String(all.at(-1)?.eventId)], {
      env: { DROVER_URL: service.url },
    })
    const { id } = await send('--value', '1')
    await eventually(
      async () => run.stdout(),
      (text) => text.includes(id),
    )
    run.interrupt()
    expect((await run.ended).code).toBe(130)
  })

  test('events --confirmations and chain blocks --follow print what is new', async () => {
    const env = { DROVER_URL: service.url }
    const blocks = startCli(['chain', 'blocks', '31337', '--follow', '--json'], { env })
    const updates = startCli(['events', '--confirmations', '--json'], { env })
    const { id } = await send('--value', '1', '--finality', '30')
    const read = (text: string) =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    const own = await eventually(
      async () => read(updates.stdout()).filter(({ transactionId }) => transactionId === id),
      (told) => (told.at(-1)?.count ?? 0) >= 2,
    )
    expect(own.map(({ count }) => count)).toEqual(own.map(({ count }) => count).toSorted((a, b) => a - b))
    const told = await eventually(
      async () => read(blocks.stdout()),
      (seen) => seen.length >= 2,
    )
    expect(told.map(({ number }) => number)).toEqual(told.map((_, index) => told[0].number + index))
    for (const run of [blocks, updates]) {
      run.interrupt()
      expect((await run.ended).code).toBe(130)
    }
    expect((await cli(['events', '--confirmations', '--after', '1'])).code).toBe(2)
  })

  test('chain and node', async () => {
    expect((await json('chain', 'list')).items).toMatchObject([{ chainId: 31_337, following: true }])
    expect(await human('chain', 'list')).toMatch(/^31337 /m)
    expect((await json('chain', 'blocks', '31337', '--limit', '2')).items).toHaveLength(2)
    // The newest there are: the oldest may be gone by the next call.
    const { items: blocks } = await json('chain', 'blocks', '31337', '--limit', '200')
    const { number } = blocks.at(-1)
    const above = await human('chain', 'blocks', '31337', '--after', String(number - 1), '--limit', '1')
    expect(above).toMatch(new RegExp(`^ *${number} +20\\d\\d-`, 'm'))
    expect(await json('chain', 'fees', '31337')).toMatchObject({ chainId: 31_337 })
    expect(await human('chain', 'fees', '31337')).toMatch(/^fast +.* gwei/m)
    expect((await json('node', 'list')).items).toMatchObject([{ id: service.nodeId, self: true }])
    expect(await human('node', 'list')).toContain(service.nodeId)
    expect(await json('whoami')).toMatchObject({ keyId: null, scopes: expect.arrayContaining(['read', 'admin']) })
    expect(await human('whoami')).toMatch(/scopes +read, send/)
  })

  test('audit', async () => {
    const { items } = await json('audit', '--limit', '200')
    expect(items.map(({ operation }: { operation: string }) => operation)).toContain('pauseSigner')
    expect(await human('audit')).toContain('pauseSigner')
    expect(await json('audit', '--check')).toMatchObject({ brokenAt: null, last: { id: expect.any(Number) } })
    expect(await human('audit', '--check')).toMatch(/^The audit log is intact up to entry \d+ /)
  })
})

test('timers: created, shown, changed, paused, cancelled', async () => {
  const from = ['--from', fast.address, '--to', to, '--gas-limit', '60000', '--value', '1']
  const ticking = await json('timers', 'create', ...from, '--every', '1', '--name', 'tick', '--request-id', 'tick-1')
  expect(ticking).toMatchObject({
    state: 'ACTIVE',
    schedule: { type: 'interval', blocks: 1 },
    name: 'tick',
    value: '1',
  })
  expect(await human('timers', 'create', ...from, '--in-minutes', '600', '--overlap', 'skip')).toContain('at block')
  const rules = ['--max-failures', '3', '--on-low-funds', 'skip']
  const event = ['--event', 'Transfer(address indexed from, address indexed to, uint256 value)', '--event-arg', to]
  const watching = await json('timers', 'create', ...from, '--watch', to, ...event, '--when', 'total() >= 1', ...rules)
  expect(watching).toMatchObject({ schedule: { type: 'watch' }, when: { is: 'gte', value: '1' } })
  expect(watching).toMatchObject({ maxFailures: 3, onLowFunds: 'skip' })
  const fires = () => json('timers', 'fires', ticking.id)
  const isSent = ({ transactionId }: { transactionId: string | null }) => transactionId !== null
  const { items: fired } = await eventually(fires, ({ items }) => items.some(isSent))
  expect(await human('timers', 'fires', ticking.id, '--limit', '200')).toContain(fired.find(isSent).transactionId)
  expect((await json('timers', 'list', '--state', 'ACTIVE')).items).toHaveLength(3)
  expect(await human('timers', 'list')).toContain(ticking.id)
  expect(await json('timers', 'show', ticking.id)).toMatchObject({ id: ticking.id })
  expect(await human('timers', 'show', watching.id)).toContain('on an event')
  expect(await json('timers', 'queue')).toMatchObject({ live: 3 })
  expect(await human('timers', 'queue', '--limit', '5')).toContain('3 timers can fire')
  expect(await json('timers', 'update', ticking.id, '--bid', '7')).toMatchObject({ bid: '7' })
  expect(await human('timers', 'update', ticking.id, '--gas-limit', '70000')).toContain('70000')
  expect(await human('timers', 'update', ticking.id, '--every', '2')).toContain('every 2 blocks')
  for (const [first, second] of [
    ['pause', 'resume'],
    ['resume', 'pause'],
  ] as const) {
    if (first === 'pause') expect(await json('timers', 'pause', ticking.id)).toMatchObject({ state: 'PAUSED' })
    else expect(await human('timers', 'resume', ticking.id)).toContain('ACTIVE')
    if (second === 'resume') expect(await json('timers', 'resume', ticking.id)).toMatchObject({ state: 'ACTIVE' })
    if (second === 'resume') expect(await human('timers', 'pause', ticking.id)).toContain('PAUSED')
  }
  const params = await json('timers', 'params', 'maxFiresPerBlock=50')
  expect(params.params).toMatchObject({ maxFiresPerBlock: 50 })
  expect(await human('timers', 'params', 'maxFiresPerBlock=100')).toContain('Acts from block')
  expect((await cli(['timers', 'params', 'nonsense'])).code).toBe(2)
  expect((await cli(['timers', 'create', ...from])).code).toBe(2)
  expect((await cli(['timers', 'create', ...from, '--every', '1', '--when', 'nonsense'])).code).toBe(2)
  expect(await json('timers', 'cancel', ticking.id)).toMatchObject({ state: 'CANCELLED' })
  expect(await human('timers', 'cancel', watching.id)).toContain('CANCELLED')
})

test('webhook: created, tested, changed, deleted', async () => {
  const { port } = receiver.address() as AddressInfo
  const target = `http://127.0.0.1:${port}/hook`
  const made = await json('webhook', 'add', target, '--completions', '--description', 'test')
  expect(made).toMatchObject({ url: target, completions: true, secret: expect.stringMatching(/^whsec_/) })
  expect(await human('webhook', 'add', target)).toMatch(/whsec_/)
  expect((await json('webhook', 'list')).items).toHaveLength(2)
  expect(await human('webhook', 'list')).toContain(made.id)
  const shown = await json('webhook', 'show', made.id)
  expect(JSON.stringify(shown)).not.toContain(made.secret)
  expect(await human('webhook', 'show', made.id)).toContain(target)
  await json('webhook', 'test', made.id)
  await human('webhook', 'test', made.id)
  const page = () => json('webhook', 'deliveries', made.id)
  const { items } = await eventually(
    page,
    (seen) => seen.items.filter((one: { state: string }) => one.state === 'DELIVERED').length >= 2,
  )
  expect(await human('webhook', 'deliveries', made.id)).toContain('DELIVERED')
  const before = received
  await json('webhook', 'redeliver', made.id, items[0].id)
  await eventually(
    async () => received,
    (count) => count > before,
  )
  await human('webhook', 'redeliver', made.id, items[0].id)
  expect(await json('webhook', 'change', made.id, '--off')).toMatchObject({ enabled: false })
  expect(await human('webhook', 'change', made.id, '--on', '--rotate-secret')).toMatch(/whsec_/)
  expect(await json('webhook', 'remove', made.id)).toMatchObject({ id: made.id })
  const [rest] = (await json('webhook', 'list')).items
  expect(await human('webhook', 'remove', rest.id)).toBe(`removed ${rest.id}\n`)
})

describe('errors have an exit code, a sentence for people, and JSON for programs', () => {
  const told = (result: CliResult) => JSON.parse(result.stderr).error

  test('not found: 3', async () => {
    const missing = ['tx', 'show', '00000000-0000-0000-0000-000000000000']
    expect(await cli(missing)).toMatchObject({ code: 3, stdout: '', stderr: expect.stringMatching(/^not_found: /) })
    expect(told(await cli([...missing, '--json']))).toMatchObject({ code: 'not_found', status: 404 })
  })

  test('wrong usage: 2, and nothing is sent', async () => {
    const count = async () => (await json('tx', 'list', '--limit', '1000')).items.length
    const before = await count()
    const from = ['tx', 'send', '--from', fast.address]
    const wrong = [
      [...from, '--to', 'me', '--json'],
      [...from, '--to', to, '--value', '1.5'],
      [...from, '--to', to, '--arg', '1'],
      [...from, '--to', to, '--function', 'f(uint8)', '--arg', '256', '--json'],
      [...from, '--to', to, '--valeu', '1'],
      ['tx', 'send', '--to', to],
      ['tx', 'list', '--state', 'DONE'],
      ['tx', 'sned'],
    ]
    const results = await Promise.all(wrong.map((args) => cli(args)))
    expect(results.map(({ code }) => code)).toEqual(wrong.map(() => 2))
    expect(told(results[0] as CliResult)).toMatchObject({ code: 'invalid_request', field: 'to' })
    expect(told(results[3] as CliResult)).toMatchObject({ field: 'call.args[0]' })
    expect(results[4]?.stderr).toContain('(Did you mean --value?)')
    expect(results[7]?.stderr).toContain('(Did you mean send?)')
    expect(await count()).toBe(before)
  })

  test('refused by the service: 4; failed transaction: 6', async () => {
    const target = '0x00000000000000000000000000000000000c0de5'
    await placeCode({ chain, drover: service }, target, revertingCode('not today'))
    const call = ['tx', 'send', '--from', fast.address, '--to', target, '--data', '0x12345678']
    expect(await cli(call)).toMatchObject({ code: 4, stderr: expect.stringContaining('not today') })
    const failed = await cli([...call, '--no-simulate', '--gas-limit', '60000', '--wait', 'confirmed', '--json'])
    expect(failed.code).toBe(6)
    expect(JSON.parse(failed.stdout)).toMatchObject({ state: 'FAILED_FINAL' })
  })

  test('no answer: 7', async () => {
    const result = await cli(['tx', 'list', '--url', 'http://127.0.0.1:9'])
    expect(result).toMatchObject({ code: 7, stdout: '', stderr: expect.stringContaining('http://127.0.0.1:9') })
  })

  test('no output contains an API key', async () => {
    const secret = 'drv_planted_0123456789abcdef'
    for (const url of [service.url, 'http://127.0.0.1:9', `http://x:${secret}@127.0.0.1:9`]) {
      const result = await cli(['tx', 'list', '--url', url], { env: { DROVER_API_KEY: secret } })
      expect(result.stdout + result.stderr).not.toContain(secret)
    }
  })
})

test('every command was run, with and without --json', () => {
  const missing = LEAVES.map((path) => path.join(' '))
    // It has a test of its own.
    .filter((name) => name !== 'batch')
    .flatMap((name) => [name, `${name} --json`])
    .filter((name) => !exercised.has(name))
  expect(missing).toEqual([])
  expect(LEAVES.length).toBeGreaterThan(35)
})
