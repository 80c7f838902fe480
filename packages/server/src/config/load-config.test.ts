import { describe, expect, test } from 'vitest'
import type { Config } from './config.ts'
import { ConfigProblems } from './config-problems.ts'
import { loadConfig } from './load-config.ts'
import type { ConfigInput } from './resolve-settings.ts'
import { SEND_TO_ALL_NODES } from './values/send-urls.ts'

const KEY = `0x${'ab'.repeat(32)}`
const MINIMAL = {
  DROVER_DATABASE_URL: 'postgres://drover@db/drover',
  DROVER_RPC_URL: 'https://rpc.example',
  DROVER_SIGNER_KEYS: KEY,
}

function load(input: Partial<ConfigInput>): Config {
  return loadConfig({ env: MINIMAL, flags: {}, file: null, ...input })
}

function problemsOf(input: Partial<ConfigInput>): readonly string[] {
  try {
    load(input)
    return []
  } catch (error) {
    if (!(error instanceof ConfigProblems)) throw error
    return error.problems.map(({ place, message }) => `${place}: ${message}`)
  }
}

const fileOf = (content: unknown) => ({ path: 'drover.config.json', content })

test('three settings are enough', () => {
  const config = load({})
  expect(config).toMatchObject({
    database: { url: 'postgres://drover@db/drover' },
    http: { host: '127.0.0.1', port: 4747 },
    signers: { policies: { preset: 'stable' } },
    keys: { privateKeys: [KEY] },
    lease: { durationMs: 15_000, renewIntervalMs: 3_000 },
    receipts: { staleTimeoutMs: 60_000 },
  })
  expect(config.chains).toEqual([
    {
      chainId: null,
      rpcUrls: ['https://rpc.example'],
      rpcWeights: [],
      sendUrls: SEND_TO_ALL_NODES,
      finality: { type: 'confirmations', count: 12 },
      blockTimeMs: 12_000,
      standingAfterMs: null,
      pollIntervalMs: null,
      rpcMaxPauseMs: 60_000,
      feeModel: 'auto',
      gasPriceWei: null,
      priceFloor: { minGasPriceWei: null, minPriorityFeeWei: null },
      gasOracle: null,
      maxTxFeeWei: 10n ** 18n,
      preconfirmations: false,
      timersDeliverAt: null,
    },
  ])
})

test('flags come before environment, environment before file, file before default', () => {
  const file = fileOf({ port: 1, host: 'localhost', logLevel: 'debug' })
  const env = { ...MINIMAL, DROVER_PORT: '2', DROVER_HOST: '127.0.0.2' }
  const config = load({ file, env, flags: { port: '3' } })
  expect(config.http).toEqual({ port: 3, host: '127.0.0.2' })
  expect(config.logLevel).toBe('debug')
  expect(config.writer.count).toBe(4)
})

test('an empty variable is one that is not set', () => {
  expect(load({ env: { ...MINIMAL, DROVER_PORT: ' ' } }).http.port).toBe(4747)
})

describe('problems', () => {
  test('all problems are reported at once, each with its place', () => {
    const problems = problemsOf({
      env: { DROVER_PORT: 'http', DROVER_SIGNER_KEYS: 'oops', DROVER_LEASE_DURATIN: '15s' },
      flags: { logLevel: 'loud' },
      file: fileOf({ finalty: 3, stuckAfter: 'soon' }),
    })
    expect(problems).toEqual([
      'DROVER_LEASE_DURATIN: is not a setting; did you mean DROVER_LEASE_DURATION?',
      'finalty in the configuration file: is not a setting; did you mean finality?',
      expect.stringMatching(/^databaseUrl: is required: set DROVER_DATABASE_URL/),
      expect.stringMatching(/^rpcUrl: is required/),
      expect.stringMatching(/^DROVER_SIGNER_KEYS: must contain keys of 32 bytes in hex; number 1 of 1 is not one$/),
      'DROVER_PORT: must be a whole number from 0 to 65535, not "http"',
      expect.stringMatching(/^stuckAfter in the configuration file: must be a duration .*, not "soon"$/),
      '--log-level: must be one of debug, info, warn, error, not "loud"',
    ])
  })

  test('a value that is overridden is not checked', () => {
    expect(problemsOf({ env: { ...MINIMAL, DROVER_PORT: 'http' }, flags: { port: 1 } })).toEqual([])
  })

  test('variables that Kubernetes sets for a service named drover are ignored', () => {
    const env = { ...MINIMAL, DROVER_SERVICE_HOST: '10.0.0.1', DROVER_PORT_4747_TCP_ADDR: '10.0.0.1' }
    expect(problemsOf({ env })).toEqual([])
  })

  test.each([
    [{ leaseRenewInterval: '8s' }, 'leaseRenewInterval'],
    [{ finality: 256 }, 'headerWindow'],
  ])('%j contradicts another setting', (flags, place) => {
    expect(problemsOf({ flags })).toEqual([expect.stringMatching(`^${place}: `)])
  })

  test.each([[[]], ['text'], [null], [{ chains: {} }], [{ chains: [] }], [{ chains: [1] }]])(
    'a file that holds %j is refused',
    (content) => {
      expect(problemsOf({ file: fileOf(content) }).length).toBe(1)
    },
  )

  test('the file cannot say where the file is', () => {
    expect(problemsOf({ file: fileOf({ configFile: 'x' }) })).toEqual([expect.stringContaining('is not a setting')])
  })

  test('inherited names are not settings', () => {
    expect(problemsOf({ file: fileOf(JSON.parse('{"__proto__": {"port": 1}}')) })).toEqual([
      expect.stringContaining('__proto__'),
    ])
  })
})

describe('chains in the file', () => {
  const two = [
    { chainId: 1, rpcUrl: 'https://one', finality: 'finalized' },
    { chainId: 10, rpcUrl: ['https://ten-a', 'https://ten-b'], blockTime: '2s', feeModel: 'eip1559' },
  ]
  const { DROVER_RPC_URL: _, ...withoutRpc } = MINIMAL

  test('each carries its own, with the rest from the top of the file', () => {
    const { chains } = load({ env: withoutRpc, file: fileOf({ finality: 5, chains: two }) })
    expect(chains).toMatchObject([
      { chainId: 1, rpcUrls: ['https://one'], finality: { type: 'finalized' }, blockTimeMs: 12_000 },
      { chainId: 10, finality: { type: 'confirmations', count: 5 }, blockTimeMs: 2_000, feeModel: 'eip1559' },
    ])
  })

  test('the environment wins over a single chain, and cannot be one node for two', () => {
    const one = load({ file: fileOf({ chains: two.slice(0, 1) }) })
    expect(one.chains).toMatchObject([{ chainId: 1, rpcUrls: ['https://rpc.example'] }])
    expect(problemsOf({ file: fileOf({ chains: two }) })).toEqual([
      expect.stringMatching(/^DROVER_RPC_URL: cannot be used with several chains/),
    ])
  })

  test('mistakes are named by their path', () => {
    const chains = [
      { ...two[0], blockTim: '1s' },
      { chainId: 1, finality: 'soon' },
    ]
    expect(problemsOf({ env: withoutRpc, file: fileOf({ chains }) })).toEqual([
      'chains[0].blockTim in the configuration file: is not a setting; did you mean blockTime?',
      'chains[1].rpcUrl in the configuration file: is required',
      expect.stringMatching(/^chains\[1\].finality in the configuration file: must be/),
      expect.stringMatching(/^chainId: must be different/),
    ])
  })
})

test('send endpoints belong to one chain, wherever they are set', () => {
  const chains = [1, 2].map((chainId) => ({ chainId, rpcUrl: `https://rpc${chainId}.example` }))
  const { DROVER_RPC_URL: _, ...env } = MINIMAL
  const atTop = problemsOf({ env, file: fileOf({ rpcSendUrl: 'https://relay.example', chains }) })
  expect(atTop).toEqual([expect.stringContaining('rpcSendUrl in the configuration file: cannot be used with several')])
  const perChain = chains.map((chain) => ({ ...chain, rpcSendUrl: 'https://relay.example' }))
  expect(problemsOf({ env, file: fileOf({ chains: perChain }) })).toEqual([])
})

test('weights are for the http URLs, one each', () => {
  const urls = { DROVER_RPC_URL: 'https://a.example,wss://b.example,http://c.example' }
  const weigh = (weights: string) => ({ env: { ...MINIMAL, ...urls, DROVER_RPC_WEIGHTS: weights } })
  expect(load(weigh('3, 0')).chains[0]?.rpcWeights).toEqual([3, 0])
  expect(problemsOf(weigh('1,2,3'))).toEqual([expect.stringContaining('one number for each http(s) URL in rpcUrl (2)')])
  expect(problemsOf(weigh('0,0'))).toEqual([expect.stringContaining('above 0')])
  expect(problemsOf(weigh('-1,2'))).toEqual([expect.stringContaining('whole numbers')])
  const chain = { chainId: 1, rpcUrl: 'https://a.example,https://b.example', rpcWeights: [2, 1] }
  const { DROVER_RPC_URL: _, ...env } = MINIMAL
  expect(load({ env, file: fileOf({ chains: [chain] }) }).chains[0]?.rpcWeights).toEqual([2, 1])
})

test('a gas oracle has its fields and unit, and excludes a fixed price', () => {
  const url = 'https://oracle.example/?key=k'
  expect(load({ env: { ...MINIMAL, DROVER_GAS_ORACLE_URL: url } }).chains[0]?.gasOracle).toEqual({
    url,
    fields: { maxFee: ['maxFeePerGas'], priorityFee: ['maxPriorityFeePerGas'] },
    unit: 'gwei',
    timeoutMs: 2_000,
  })
  const own = { DROVER_GAS_ORACLE_URL: url, DROVER_GAS_ORACLE_FIELDS: 'priorityFee=data.0.tip' }
  expect(load({ env: { ...MINIMAL, ...own } }).chains[0]?.gasOracle?.fields).toEqual({
    maxFee: null,
    priorityFee: ['data', '0', 'tip'],
  })
  for (const wrong of ['', 'maxFee', 'price=a', 'maxFee=a..b', 'maxFee=a,maxFee=b'])
    expect(problemsOf({ env: { ...MINIMAL, ...own, DROVER_GAS_ORACLE_FIELDS: wrong || ',' } })).toHaveLength(1)
  expect(problemsOf({ env: { ...MINIMAL, ...own, DROVER_GAS_PRICE: '0' } })).toEqual([
    expect.stringContaining('gasOracleUrl cannot be set too'),
  ])
})

test('a price is fixed or has a floor, not both', () => {
  const floor = { DROVER_MIN_GAS_PRICE: '1gwei', DROVER_MIN_PRIORITY_FEE: '30gwei' }
  expect(load({ env: { ...MINIMAL, ...floor } }).chains[0]?.priceFloor).toEqual({
    minGasPriceWei: 10n ** 9n,
    minPriorityFeeWei: 30n * 10n ** 9n,
  })
  expect(problemsOf({ env: { ...MINIMAL, ...floor, DROVER_GAS_PRICE: '0' } })).toEqual([
    expect.stringContaining('fixes the price'),
  ])
})
