/** Planted secrets must not come out anywhere: not in a problem, a printed configuration, a log line or an error. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Terminal } from '../../../cli/src/output/terminal.ts'
import { runCli } from '../../../cli/src/run-cli.ts'
import { createRedactor } from '../telemetry/redactor.ts'
import { createTelemetry } from '../telemetry/telemetry.ts'
import { ConfigProblems } from './config-problems.ts'
import { loadConfig, secretsOf } from './load-config.ts'
import { type ConfigInput, resolveSettings } from './resolve-settings.ts'
import { flagOf, isSecret, SETTING_NAMES, type SettingName } from './settings.ts'

const HEX = '0123456789abcdefABCDEF'.split('')
const anyKey = fc.string({ unit: fc.constantFrom(...HEX), minLength: 64, maxLength: 64 })
const anyToken = fc.string({
  unit: fc.constantFrom(...'abcdefghijkmnpqrstuvwxyz23456789-_%40!'.split('')),
  minLength: 16,
  maxLength: 40,
})

interface Planted {
  readonly env: Record<string, string>
  readonly secrets: readonly [key: string, password: string, token: string]
}

/** Wrong in the ways that people get it wrong. */
const MISTAKES = ['key too long', 'no scheme', 'wrong scheme', 'port', 'unknown'] as const
const anyMistake = fc.constantFrom('none', ...MISTAKES)

function planted(mistakes: fc.Arbitrary<'none' | (typeof MISTAKES)[number]>): fc.Arbitrary<Planted> {
  return fc
    .record({
      key: anyKey,
      password: anyToken.map(encodeURIComponent),
      token: anyToken.map(encodeURIComponent),
      mistake: mistakes,
    })
    .map(({ key, password, token, mistake }) => ({
      secrets: [key, password, token],
      env: {
        DROVER_SIGNER_KEYS: mistake === 'key too long' ? `0x${key}0` : `0x${key}`,
        DROVER_DATABASE_URL: `${mistake === 'no scheme' ? '' : mistake === 'wrong scheme' ? 'mysql://' : 'postgres://'}u:${password}@db/d`,
        DROVER_DATABASE_POOLER_URL: `postgres://u:${password}@pool/d`,
        DROVER_RPC_URL: `${mistake === 'wrong scheme' ? 'ftp' : 'https'}://rpc.example/v3/${token}`,
        ...(mistake === 'port' && { DROVER_PORT: `https://u:${password}@db` }),
        ...(mistake === 'unknown' && { DROVER_SIGNER_KEY: key }),
      },
    }))
}

function expectHidden(text: string, secrets: readonly string[]): void {
  for (const secret of secrets) expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
}

test('no problem holds a secret', () => {
  fc.assert(
    fc.property(planted(anyMistake), ({ env, secrets }) => {
      try {
        loadConfig({ env, flags: {}, file: null })
      } catch (error) {
        if (!(error instanceof ConfigProblems)) throw error
        expectHidden(error.message + JSON.stringify(error.problems), secrets)
      }
    }),
  )
})

test('no log line contains a secret, in any place', () => {
  fc.assert(
    fc.property(planted(fc.constant('none')), fc.boolean(), ({ env, secrets }, isTTY) => {
      const written: string[] = []
      const input: ConfigInput = { env, flags: {}, file: null }
      const stream = { isTTY, write: (line: string) => written.push(line) }
      const resolved = resolveSettings(input)
      const telemetry = createTelemetry({ level: 'debug', stream, secrets: secretsOf(resolved) })
      const [key, password, token] = secrets
      telemetry.log('info', `using ${key}`, { url: env.DROVER_RPC_URL, nested: { list: [password, { deep: token }] } })
      telemetry.log('error', 'failed', {
        error: new Error(`no ${token}`, { cause: new Error(password) }),
        env: resolved.values,
      })
      expect(written.length).toBe(2)
      expectHidden(written.join(''), secrets)
    }),
  )
})

/** By hand: a setting that holds a secret and is not marked as one would be printed, logged and offered as a flag. */
const SECRET_SETTINGS = {
  databaseUrl: ['postgres://u:planted-password@db/d', 'planted-password'],
  databasePoolerUrl: ['postgres://u:planted-password@pool/d', 'planted-password'],
  rpcUrl: ['https://rpc.example/v3/planted-token-0123', 'planted-token-0123'],
  rpcSendUrl: ['https://relay.example/planted-token-0123', 'planted-token-0123'],
  gasOracleUrl: ['https://oracle.example/?key=planted-token-0123', 'planted-token-0123'],
  signerKeys: [`0x${'5e'.repeat(32)}`, '5e'.repeat(32)],
  secretsKey: ['6f'.repeat(32), '6f'.repeat(32)],
  stuckHookSecret: ['planted-hook-secret', 'planted-hook-secret'],
  remoteSignerUrl: ['https://u:planted-password@signer.example', 'planted-password'],
  vaultUrl: ['https://u:planted-password@vault.example', 'planted-password'],
  otlpUrl: ['https://collector.example/planted-token-0123/v1/traces', 'planted-token-0123'],
} as const

/** They say where a secret is. Whoever writes the secret itself there must not find it in a flag or an error. */
const SECRET_PLACES = ['keystorePassword', 'masterKey', 'mnemonic', 'vaultToken'] as const

test('settings that hold a secret are the ones marked so', () => {
  expect(SETTING_NAMES.filter(isSecret).sort()).toEqual([...Object.keys(SECRET_SETTINGS), ...SECRET_PLACES].sort())
  for (const name of SETTING_NAMES)
    if (/(?:secret|password|token|keys?|url)$/i.test(name)) expect([name, isSecret(name)]).toEqual([name, true])
})

test.each(Object.entries(SECRET_SETTINGS))(
  'the secret in %s is hidden, and no flag takes it',
  (name, [value, secret]) => {
    const required = {
      databaseUrl: 'postgres://u@db/d',
      rpcUrl: 'http://localhost:1',
      signerKeys: `0x${'11'.repeat(32)}`,
    }
    const resolved = resolveSettings({ env: {}, flags: { ...required, [name]: value }, file: null })
    const hidden = createRedactor(secretsOf(resolved)).redact(`before ${secret} after`)
    expect(hidden).toBe('before [redacted] after')
    expect(flagOf(name as SettingName)).toBeNull()
  },
)

test.each(SECRET_PLACES)('a secret in the place of %s is refused and not repeated', (name) => {
  const { problems } = resolveSettings({ env: {}, flags: { [name]: 'planted-secret' }, file: null })
  expect(problems.map(({ message }) => message).join()).toContain('must say where the secret is, not what it is')
  expect(JSON.stringify(problems)).not.toContain('planted-secret')
  expect(flagOf(name)).toBeNull()
})

test('`drover config` shows no secret', async () => {
  await fc.assert(
    fc.asyncProperty(planted(anyMistake), fc.boolean(), async ({ env, secrets }, asJson) => {
      const written: string[] = []
      const stream = { write: (text: string) => written.push(text) }
      const terminal: Terminal = {
        env,
        folder: import.meta.dirname,
        stdout: stream,
        stderr: stream,
        onSignal: () => () => undefined,
        onBug: () => () => undefined,
        exit: () => undefined,
      }
      await runCli(asJson ? ['config', '--json'] : ['config'], terminal)
      expect(written.join('')).toContain('signerKeys')
      expectHidden(written.join(''), secrets)
    }),
    { numRuns: 30 },
  )
})
