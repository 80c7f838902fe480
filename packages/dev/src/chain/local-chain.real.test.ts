import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startScript } from '../../../../tests/setup/script-process.ts'
import { findFreePort } from '../free-port.ts'
import { isAlive } from '../process-watch.ts'
import { callAnvil } from './call-anvil.ts'
import { type LocalChain, type LocalChainOptions, startLocalChain } from './local-chain.ts'

const MODULE = new URL('./local-chain.ts', import.meta.url)

let folder = ''
let stateFile = ''
let running: LocalChain[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-chain-test-'))
  stateFile = join(folder, 'chain')
  running = []
})

afterEach(async () => {
  for (const chain of running) await chain.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(options: LocalChainOptions = {}): Promise<LocalChain> {
  const chain = await startLocalChain({ port: 0, blockTimeSeconds: 0, stateFile, ...options })
  running.push(chain)
  return chain
}

async function call<T>(chain: { readonly rpcUrl: string }, method: string, ...params: unknown[]): Promise<T> {
  return (await callAnvil(chain.rpcUrl, method, params)) as T
}

/** Mines one transfer in a block of its own, and returns what the chain says of it. */
async function transfer(chain: { readonly rpcUrl: string }) {
  const [from, to] = await call<string[]>(chain, 'eth_accounts')
  const hash = await call<string>(chain, 'eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' })
  await call(chain, 'anvil_mine', '0x1')
  return { hash, seen: await look(chain, hash, from ?? '', to ?? ''), from: from ?? '', to: to ?? '' }
}

async function look(chain: { readonly rpcUrl: string }, hash: string, from: string, to: string) {
  const receipt = await call<{ blockNumber: string; blockHash: string } | null>(
    chain,
    'eth_getTransactionReceipt',
    hash,
  )
  return {
    receipt,
    block: receipt && (await call(chain, 'eth_getBlockByNumber', receipt.blockNumber, true)),
    head: await call(chain, 'eth_blockNumber'),
    nonce: await call(chain, 'eth_getTransactionCount', from, 'latest'),
    balances: [await call(chain, 'eth_getBalance', from, 'latest'), await call(chain, 'eth_getBalance', to, 'latest')],
  }
}

function startElsewhere() {
  const options = JSON.stringify({ port: 0, blockTimeSeconds: 0, stateFile })
  const script = startScript(
    `import { startLocalChain } from ${JSON.stringify(MODULE.href)}
     console.log(JSON.stringify(await startLocalChain(${options})))
     setInterval(() => {}, 1000)`,
  )
  const started = script.nextLine().then((line): { rpcUrl: string; pid: number; port: number } => JSON.parse(line))
  return { script, started }
}

describe('a chain with a state file', () => {
  test('has its blocks, receipts, balances and nonces after a restart', async () => {
    const first = await start()
    await transfer(first)
    const { hash, seen, from, to } = await transfer(first)
    await first.stop()
    expect(isAlive(first.pid)).toBe(false)
    const second = await start()
    expect(await look(second, hash, from, to)).toEqual(seen)
    const next = await transfer(second)
    expect(next.seen.block).toMatchObject({ parentHash: seen.receipt?.blockHash })
  })

  test('goes back to the last save when killed, and reports its exit', async () => {
    const first = await start({ saveIntervalMs: 3_600_000 })
    const kept = await transfer(first)
    await first.save()
    const lost = await transfer(first)
    process.kill(first.pid, 'SIGKILL')
    await first.exited
    await first.stop()
    const second = await start()
    expect(await look(second, kept.hash, kept.from, kept.to)).toEqual(kept.seen)
    expect((await look(second, lost.hash, lost.from, lost.to)).receipt).toBe(null)
  })

  test('saves by itself', async () => {
    const first = await start({ saveIntervalMs: 10 })
    await transfer(first)
    // Resolves with a save that began after the transfer, because only one is under way at a time.
    const before = await findModified()
    while ((await findModified()) === before) await new Promise((resolve) => setImmediate(resolve))
  })

  test('is reused after Drover was killed, with its pending transactions', async () => {
    const { script, started } = startElsewhere()
    const first = await started
    const { hash, seen, from, to } = await transfer(first)
    const pending = await call<string>(first, 'eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' })
    await expect(start()).rejects.toThrow(`is in use by process ${script.pid}`)
    await script.kill('SIGKILL')
    expect(isAlive(first.pid)).toBe(true)
    const second = await start()
    expect(second).toMatchObject({ adopted: true, pid: first.pid, port: first.port })
    expect(await look(second, hash, from, to)).toEqual(seen)
    expect(await call(second, 'eth_getTransactionByHash', pending)).toMatchObject({ hash: pending, blockHash: null })
    await second.stop()
    expect(isAlive(first.pid)).toBe(false)
  })

  test('left running is saved, stopped and restarted if the options differ', async () => {
    const { script, started } = startElsewhere()
    const first = await started
    const { hash, seen, from, to } = await transfer(first)
    await script.kill('SIGKILL')
    const port = await findFreePort()
    const second = await start({ port, accounts: 3 })
    expect(second).toMatchObject({ adopted: false, port })
    expect(isAlive(first.pid)).toBe(false)
    expect(await look(second, hash, from, to)).toEqual(seen)
  })

  test('does not log every request', async () => {
    const chain = await start()
    for (let n = 0; n < 20; n += 1) await transfer(chain)
    expect((await readFile(`${stateFile}.log`, 'utf8')).split('eth_sendTransaction').length).toBe(1)
  })
})

describe('a chain without a state file', () => {
  test('leaves nothing behind', async () => {
    const chain = await startLocalChain({ port: 0, blockTimeSeconds: 0 })
    const ours = join(tmpdir(), await findWorkDir(chain.pid))
    expect((await stat(ours)).isDirectory()).toBe(true)
    await chain.stop()
    await expect(stat(ours)).rejects.toThrow('ENOENT')
  })

  test('mines at an interval unless told otherwise', async () => {
    const chain = await startLocalChain({ port: 0, blockTimeSeconds: 0.1 })
    running.push(chain)
    while (Number(await call(chain, 'eth_blockNumber')) < 3) await new Promise((resolve) => setImmediate(resolve))
    expect(await call(chain, 'eth_chainId')).toBe('0x7a69')
  })
})

describe('the port', () => {
  test('that was asked for and is in use is an error that says what to do', async () => {
    const blocker = createServer()
    const port = await findFreePort()
    await new Promise<void>((resolve) => blocker.listen(port, '127.0.0.1', resolve))
    await expect(start({ port })).rejects.toThrow(`Port ${port} for the local chain is taken`)
    await expect(start({ port })).rejects.toThrow('--chain-port')
    await new Promise((resolve) => blocker.close(resolve))
  })

  test('is 8545 or the next free one by default', async () => {
    const first = await startLocalChain({ blockTimeSeconds: 0 })
    running.push(first)
    const second = await startLocalChain({ blockTimeSeconds: 0 })
    running.push(second)
    expect(first.port).toBeGreaterThanOrEqual(8545)
    expect(second.port).toBeGreaterThan(first.port)
  })
})

test('an option that anvil does not know is reported with its error text', async () => {
  await expect(start({ extraArgs: ['--no-such-option'] })).rejects.toThrow('--no-such-option')
})

async function findModified(): Promise<number> {
  return stat(stateFile).then(
    (found) => found.mtimeMs,
    () => 0,
  )
}

/** The name of the temporary folder that this anvil was given. */
async function findWorkDir(pid: number): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith('drover-chain-')) continue
    const text = await readFile(join(tmpdir(), name, 'process.json'), 'utf8').catch(() => '{}')
    if (JSON.parse(text).pid === pid) return name
  }
  throw new Error(`process ${pid} has no folder`)
}
