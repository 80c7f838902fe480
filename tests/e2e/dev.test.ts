/**
 * `drover dev`, the first command of README.md and docs/tutorial.md: everything by one command, stopped in order, started
 * again on the same data.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCli } from '../setup/cli-terminal.ts'
import { launchDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import type { LaunchedProcess } from '../setup/launch-process.ts'

let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'drover-dev-'))
})

afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true })
})

async function startDev(
  env: Record<string, string> = {},
): Promise<
  LaunchedProcess & { summary: { url: string; rpcUrl: string; signers: { address: string; policy: string }[] } }
> {
  const args = ['dev', '--port', '0', '--chain-port', '0', '--data-dir', dataDir, '--json']
  const launched = launchDrover(args, env)
  const line = await launched.lineWhere((text) => text.startsWith('{"url"'))
  return { ...launched, summary: JSON.parse(line) }
}

async function getJson(url: string) {
  return await (await fetch(url)).json()
}

test('starts, sends, stops on Ctrl-C, and keeps its data', async () => {
  const first = await startDev()
  expect(Object.keys(first.summary)).toEqual(['url', 'rpcUrl', 'databaseUrl', 'chainId', 'signers', 'signerKeys'])
  expect(first.summary.signers.map(({ policy }) => policy)).toEqual(['stable', 'fast', 'fast'])
  const [from, to] = first.summary.signers.map(({ address }) => address)
  const key = { source: 'demo', place: 'drover dev', canSign: true }
  expect(await getJson(`${first.summary.url}/v1/signers/${from}`)).toMatchObject({ lanes: [{ key }] })
  const posted = await fetch(`${first.summary.url}/v1/transactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from, to, value: '1' }),
  })
  const { id } = (await posted.json()) as { id: string }
  const read = (url: string) => getJson(`${url}/v1/transactions/${id}`) as Promise<{ state: string; hash: string }>
  const final = await eventually(
    () => read(first.summary.url),
    (tx) => tx.state === 'CONFIRMED',
  )
  first.child.kill('SIGINT')
  expect(await first.exited).toBe(0)

  const second = await startDev()
  expect(await read(second.summary.url)).toMatchObject({ state: 'CONFIRMED', hash: final.hash })
  const receipt = await fetch(second.summary.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getTransactionReceipt', params: [final.hash] }),
  })
  expect(await receipt.json()).toMatchObject({ result: { status: '0x1', transactionHash: final.hash } })
  second.child.kill('SIGINT')
  expect(await second.exited).toBe(0)
})

test('settings from the environment apply, except those that dev sets itself; doctor finds the service', async () => {
  const dev = await startDev({
    DROVER_SIGNER_POLICY: 'fast',
    DROVER_FINALITY: '2',
    DROVER_RPC_ALLOWED_METHODS: 'anvil_nodeInfo',
    DROVER_DATABASE_URL: 'postgres://somebody:else@127.0.0.1:9/production',
    DROVER_RPC_URL: 'http://127.0.0.1:9',
  })
  expect(dev.summary.signers.map(({ policy }) => policy)).toEqual(['fast', 'fast', 'fast'])
  expect(dev.output()).toContain('does not use DROVER_DATABASE_URL, DROVER_RPC_URL')
  expect(await getJson(`${dev.summary.url}/v1/chains`)).toMatchObject({ items: [{ finality: 2 }] })
  const rpc = async (method: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${dev.summary.url}/rpc`, { method: 'POST', headers, body })).json()
  }
  expect(await rpc('hardhat_metadata')).toMatchObject({ result: { chainId: 31_337 } })
  expect(await rpc('anvil_nodeInfo')).toHaveProperty('result')

  const folder = await mkdtemp(join(tmpdir(), 'drover-doctor-'))
  await symlink(dataDir, join(folder, '.drover'))
  const { code, stdout } = await startCli(['doctor', '--json'], { folder }).ended
  expect(code, stdout).toBe(0)
  const { findings } = JSON.parse(stdout)
  expect(findings).toContainEqual(expect.objectContaining({ check: `service ${dev.summary.url}`, status: 'ok' }))
  expect(findings).toContainEqual(expect.objectContaining({ detail: expect.stringContaining('drover dev') }))
  expect(findings.filter(({ check }: { check: string }) => check.startsWith('database'))).toHaveLength(1)

  dev.child.kill('SIGINT')
  expect(await dev.exited).toBe(0)
  const after = await startCli(['doctor', '--json'], { folder }).ended
  expect(after.code).toBe(1)
  expect(after.stdout).toContain('DROVER_DATABASE_URL')
  await rm(folder, { recursive: true })
})

test('stops cleanly when the npm that runs it is stopped', async () => {
  const options = ['--port', '0', '--chain-port', '0', '--data-dir', dataDir, '--json']
  const npm = spawn('npm', ['run', '--silent', 'dev', '--', ...options], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  npm.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString()
  })
  // Only once nobody holds its output any more, whoever had been started by it.
  const closed = once(npm, 'close')
  const [line] = await once(createInterface({ input: npm.stdout }), 'line')
  const { url } = JSON.parse(line)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  npm.kill('SIGTERM')
  await closed
  expect(errors).toContain('Stopping')
  await expect(fetch(`${url}/healthz`)).rejects.toThrow()
})

test('names a port that is in use, and says what to do', async () => {
  const blocker = createServer()
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
  const address = blocker.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const dev = launchDrover(['dev', '--port', String(port), '--chain-port', '0', '--data-dir', dataDir, '--json'])
  expect(await dev.exited).toBe(1)
  expect(dev.output()).toContain(`${port}`)
  expect(dev.output()).toContain('--port')
  await new Promise((resolve) => blocker.close(resolve))
})
