import { describe, expect, test } from 'vitest'
import { ConfigProblems } from './config-problems.ts'
import { loadConfig } from './load-config.ts'

const BASE = { DROVER_DATABASE_URL: 'postgres://drover@db/drover', DROVER_RPC_URL: 'https://rpc.example' }

function load(env: Record<string, string>) {
  return loadConfig({ env: { ...BASE, ...env }, flags: {}, file: null }).keys
}

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    load(env)
    return []
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    return error.problems.map(({ place, message }) => `${place} ${message}`)
  }
}

test('each source is read by itself', () => {
  expect(load({ DROVER_KEYSTORE_DIR: '/keys', DROVER_KEYSTORE_PASSWORD: 'file:/run/password' })).toMatchObject({
    keystore: { folder: '/keys', password: { type: 'file', path: '/run/password' } },
    privateKeys: [],
    mnemonic: null,
  })
  expect(
    load({ DROVER_MNEMONIC: 'command:pass show a, b', DROVER_MNEMONIC_PATH: "m/44'/60'/0'/0/2..9" }),
  ).toMatchObject({
    mnemonic: {
      phrase: { type: 'command', command: 'pass show a, b' },
      path: { parent: "m/44'/60'/0'/0", first: 2, last: 9 },
    },
  })
  expect(load({ DROVER_MASTER_KEY: 'file:/new,env:OLD_MASTER_KEY' })).toMatchObject({
    masterKeys: [
      { type: 'file', path: '/new' },
      { type: 'variable', name: 'OLD_MASTER_KEY' },
    ],
  })
  expect(load({ DROVER_AWS_KMS_KEY_IDS: 'alias/a,alias/b', DROVER_AWS_REGION: 'eu-west-1' })).toMatchObject({
    awsKms: { keys: ['alias/a', 'alias/b'], region: 'eu-west-1', endpoint: null },
  })
})

describe('what is wrong is said without the secret that may be in it', () => {
  test.each([
    [{}, 'signerKeys is required: set DROVER_SIGNER_KEYS, or another key source'],
    [{ DROVER_KEYSTORE_DIR: '/keys' }, 'keystorePassword is required if keystoreDir is set'],
    [{ DROVER_VAULT_URL: 'https://vault', DROVER_VAULT_TOKEN: 'file:/t' }, 'vaultPaths is required if vaultUrl is set'],
    [
      { DROVER_KEYSTORE_DIR: '/keys', DROVER_KEYSTORE_PASSWORD: 'geheim' },
      'DROVER_KEYSTORE_PASSWORD must say where the secret is, not what it is',
    ],
    [{ DROVER_MNEMONIC: 'test test geheim' }, 'DROVER_MNEMONIC must say where the secret is'],
    [{ DROVER_MASTER_KEY: `geheim${'ab'.repeat(29)}` }, 'DROVER_MASTER_KEY must say where the secret is'],
    [{ DROVER_MNEMONIC: 'file:/m', DROVER_MNEMONIC_PATH: 'm/0..5000' }, 'must be a range of 1 to 1000 accounts'],
    [{ DROVER_MNEMONIC: 'file:/m', DROVER_MNEMONIC_PATH: 'x' }, 'DROVER_MNEMONIC_PATH must be a path such as'],
  ])('%j', (env, message) => {
    const problems = problemsOf(env as Record<string, string>).join()
    expect(problems).toContain(message)
    expect(problems).not.toContain('geheim')
  })
})
