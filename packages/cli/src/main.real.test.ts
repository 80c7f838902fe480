/** The command line as people meet it: a real process. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const KEY = 'ab'.repeat(32)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drover-cli-'))
})
afterAll(() => rm(folder, { recursive: true }))

interface Result {
  readonly code: number | string | null
  readonly stdout: string
  readonly stderr: string
}

function drover(args: readonly string[], env: Record<string, string> = {}): Promise<Result> {
  const nodeArgs = [MAIN, ...args]
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      nodeArgs,
      { cwd: folder, env: { PATH: process.env.PATH, ...env } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr }),
    )
  })
}

test('--help shows commands, examples and exit codes', async () => {
  const { code, stdout } = await drover(['--help'])
  expect(code).toBe(0)
  for (const part of ['dev', 'start', 'migrate', 'config', 'Examples:', 'Exit codes:']) expect(stdout).toContain(part)
})

test('--version is that of the package', async () => {
  expect(await drover(['--version'])).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  })
})

describe('wrong usage ends with 2', () => {
  test('an unknown flag', async () => {
    const { code, stdout, stderr } = await drover(['start', '--prot', '1'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain("unknown option '--prot'")
    expect(stderr).toContain('--port')
  })

  test('an unknown command', async () => {
    expect(await drover(['strat'])).toMatchObject({ code: 2, stderr: expect.stringContaining('start') })
  })

  test('no command', async () => {
    expect((await drover([])).code).toBe(2)
  })

  test('start without settings names all that are missing, without a stack', async () => {
    const { code, stdout, stderr } = await drover(['start'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    for (const name of ['DROVER_DATABASE_URL', 'DROVER_RPC_URL', 'DROVER_SIGNER_KEYS']) expect(stderr).toContain(name)
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  test('an invalid port', async () => {
    expect(await drover(['dev', '--port', 'http'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--port'),
    })
  })
})

test('config shows values with their source, and no secret', async () => {
  await writeFile(join(folder, 'drover.config.json'), JSON.stringify({ finality: 'safe', port: 1 }))
  const { code, stdout, stderr } = await drover(['config', '--log-level', 'warn'], {
    DROVER_DATABASE_URL: 'postgres://drover:pass-word-1@db/drover',
    DROVER_RPC_URL: 'https://rpc.example/v3/0123456789abcdef',
    DROVER_SIGNER_KEYS: KEY,
    DROVER_PORT: '2',
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^port +environment +2$/m)
  expect(stdout).toMatch(/^finality +file +safe$/m)
  expect(stdout).toMatch(/^logLevel +flag +warn$/m)
  expect(stdout).toMatch(/^signerKeys +environment +1 key$/m)
  for (const secret of ['pass-word-1', '0123456789abcdef', KEY]) expect(stdout).not.toContain(secret)
})

test('a file that is not JSON is named without repeating it', async () => {
  await writeFile(join(folder, 'broken.json'), `{"signerKeys": "${KEY}`)
  const { code, stderr } = await drover(['config', '--config-file', 'broken.json'])
  expect(code).toBe(2)
  expect(stderr).toContain('broken.json: is not valid JSON')
  expect(stderr).not.toContain(KEY.slice(0, 8))
})

test('a TypeScript configuration is read if this Node can read TypeScript', async () => {
  await writeFile(join(folder, 'settings.ts'), 'export default { port: 4848 as number }')
  const { stdout } = await drover(['config', '--config-file', 'settings.ts'], {
    NODE_OPTIONS: `--import=${import.meta.resolve('tsx')}`,
  })
  expect(stdout).toMatch(/^port +file +4848$/m)
})

test('migrate needs only the database, and says when it cannot be reached', async () => {
  const missing = await drover(['migrate', '--config-file', join(folder, 'none.json')])
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('does not exist') })
  const unreachable = await drover(['migrate'], { DROVER_DATABASE_URL: 'postgres://u:pass-word-1@127.0.0.1:1/x' })
  expect(unreachable.code).toBe(1)
  expect(unreachable.stderr).toContain('the database 127.0.0.1:1/x cannot be used; check DROVER_DATABASE_URL')
  expect(unreachable.stderr).toContain('ECONNREFUSED')
  expect(unreachable.stderr).not.toContain('pass-word-1')
  expect(unreachable.stderr).not.toMatch(/^\s+at /m)
})

describe('timers simulate', () => {
  test('without a file plays the demo, as a table and as a plot', async () => {
    const { code, stdout } = await drover(['timers', 'simulate', '--svg', 'run.svg'])
    expect(code).toBe(0)
    expect(stdout).toContain('congestion: 120 blocks')
    expect(await readFile(join(folder, 'run.svg'), 'utf8')).toMatch(/^<svg[\s\S]*<\/svg>\s*$/)
  })

  test('the same scenario gives the same report in every process', async () => {
    const [first, second] = await Promise.all([
      drover(['timers', 'simulate', '--json']),
      drover(['timers', 'simulate', '--json']),
    ])
    expect(first.stdout).toBe(second.stdout)
    expect(JSON.parse(first.stdout).blocks).toHaveLength(120)
  })

  test('a bad scenario is refused, naming every bad field', async () => {
    await writeFile(join(folder, 'wrong.json'), '{"name":"x","blocks":-1,"actors":[],"timers":[],"surprise":1}')
    const { code, stderr } = await drover(['timers', 'simulate', 'wrong.json'])
    expect(code).toBe(2)
    for (const field of ['blocks', 'surprise']) expect(stderr).toContain(field)
  })

  test('a scenario that cannot be read is a usage error that names it', async () => {
    const { code, stderr, stdout } = await drover(['timers', 'simulate', 'missing.json'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^cannot read the scenario: .*missing\.json/)
  })
})
