/** Everything on one machine: a database, a chain with 1 s blocks, the service and its page, and three funded signers. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, type ServiceTelemetry, startService } from '@drover/server'
import { type Policy, toAddress } from '@drover/server/core'
import { type Environment, environmentVariableOf, KEY_SETTING_NAMES, loadConfig } from '@drover/server/settings'
import { startLocalChain } from './chain/local-chain.ts'
import { startEmbeddedPostgres } from './postgres/embedded-postgres.ts'

export interface DevOptions {
  /** Absent: 4747. */
  readonly port?: number
  /** Absent: 8545, or the next free one. */
  readonly chainPort?: number
  readonly dataDir: string
  /** Settings that are to hold in place of those of dev. */
  readonly env: Environment
  readonly telemetry: ServiceTelemetry
}

export interface DevSummary {
  readonly url: string
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly chainId: number
  readonly signers: readonly { readonly address: string; readonly policy: Policy['preset'] }[]
  readonly signerKeys: readonly string[]
}

export interface Dev {
  readonly summary: DevSummary
  stop(): Promise<void>
  readonly stopped: Promise<void>
}

const CHAIN_ID = 31_337

/** The first accounts of the development phrase that every local chain funds. Their keys are public. */
const DEMO_SIGNERS = [
  {
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    key: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    policy: 'stable',
  },
  {
    address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    key: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
    policy: 'fast',
  },
  {
    address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    key: '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
    policy: 'fast',
  },
] as const

/** Stops in the reverse order of starting, whatever had been started. */
export async function startDev(options: DevOptions): Promise<Dev> {
  const stops: (() => Promise<void>)[] = []
  const stopAll = async (): Promise<void> => {
    for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop()
  }
  try {
    await mkdir(options.dataDir, { recursive: true })
    const log = (message: string): void => options.telemetry.log('info', message)
    const postgres = await startEmbeddedPostgres({ dataDir: join(options.dataDir, 'postgres'), log })
    stops.push(() => postgres.stop())
    const chain = await startLocalChain({
      stateFile: join(options.dataDir, 'chain', 'state'),
      chainId: CHAIN_ID,
      log,
      ...(options.chainPort !== undefined && { port: options.chainPort }),
    })
    stops.push(() => chain.stop())
    const config = composeConfig(options, postgres.databaseUrl, chain.rpcUrl)
    const service = await startService(config, options.telemetry)
    stops.push(() => service.stop())
    const summary: DevSummary = {
      url: service.url,
      rpcUrl: chain.rpcUrl,
      databaseUrl: postgres.databaseUrl,
      chainId: CHAIN_ID,
      signers: DEMO_SIGNERS.map(({ address }) => ({ address, policy: policyOf(config, address) })),
      signerKeys: DEMO_SIGNERS.map(({ key }) => key),
    }
    let stopping: Promise<void> | null = null
    return {
      summary,
      stop: () => {
        stopping ??= stopAll()
        return stopping
      },
      // If any part ends by itself the whole is of no use any more.
      stopped: Promise.race([service.stopped, chain.exited, postgres.exited]),
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

/**
 * Settings that dev provides itself, so that it never uses a real database, chain or key that the shell has set for
 * another service.
 */
const BROUGHT = [
  'DROVER_DATABASE_URL',
  'DROVER_RPC_URL',
  'DROVER_CHAIN_ID',
  'DROVER_CONFIG_FILE',
  ...KEY_SETTING_NAMES.map(environmentVariableOf),
]

function isBrought(name: string): boolean {
  return BROUGHT.some((own) => own === name)
}

/**
 * Settings of the environment come before those of dev. A local chain has no peers to reorg it: a few confirmations
 * show the mechanism without making people wait.
 */
function composeConfig(options: DevOptions, databaseUrl: string, rpcUrl: string): Config {
  const given = Object.entries(options.env).filter(([name, value]) => name.startsWith('DROVER_') && value?.trim())
  const ignored = given.map(([name]) => name).filter(isBrought)
  if (ignored.length > 0) {
    options.telemetry.log('warn', `drover dev brings its own and does not use ${ignored.join(', ')}`)
  }
  const env = Object.fromEntries(given.filter(([name]) => !isBrought(name)))
  const loaded = loadConfig({
    flags: {},
    file: null,
    env: {
      DROVER_SIGNER_POLICY: DEMO_SIGNERS.map(({ address, policy }) => `${address}=${policy}`).join(','),
      DROVER_FINALITY: '3',
      DROVER_BLOCK_TIME: '1s',
      DROVER_RESUBMIT_INTERVAL: '5s',
      DROVER_BUMP_AFTER: '5s',
      DROVER_WEBHOOK_ALLOW_PRIVATE: 'true',
      // On a loopback address, with publicly known keys.
      DROVER_OPEN: 'true',
      ...env,
      // Hardhat asks a development chain for it.
      DROVER_RPC_ALLOWED_METHODS: ['hardhat_metadata', env.DROVER_RPC_ALLOWED_METHODS].filter(Boolean).join(','),
      DROVER_DATABASE_URL: databaseUrl,
      DROVER_RPC_URL: rpcUrl,
      DROVER_SIGNER_KEYS: DEMO_SIGNERS.map(({ key }) => key).join(','),
      ...(options.port !== undefined && { DROVER_PORT: String(options.port) }),
    },
  })
  return { ...loaded, keys: { ...loaded.keys, areDemoKeys: true } }
}

function policyOf({ signers }: Config, address: string): Policy['preset'] {
  return signers.policies.byAddress.get(toAddress(address)) ?? signers.policies.preset
}
