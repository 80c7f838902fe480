/**
 * Creates a node's external dependencies, and waits at the start until each responds: database, chains, keys, API keys.
 */
import type { Access } from '../api/access/access.ts'
import { detectChainId } from '../chain/detect-chain-id.ts'
import { createEvmChain, type EvmChain } from '../chain/evm-chain.ts'
import type { ChainConfig, Config } from '../config/config.ts'
import { ConfigProblems } from '../config/config-problems.ts'
import type { AccessStore } from '../ports/access-store.ts'
import { ChainUnavailable } from '../ports/chain.ts'
import type { Random } from '../ports/clock.ts'
import type { KeyStore } from '../ports/key-store.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { createKeyRing, type KeyRing } from '../signer/key-ring.ts'
import { describeKit, openSigningKit } from '../signer/signing-kit.ts'
import { createStoredKeys, type StoredKeys } from '../signer/stored-keys.ts'
import { createPostgresAccessStore } from '../store/postgres/access/postgres-access-store.ts'
import { createPostgresKeyStore } from '../store/postgres/keys/postgres-key-store.ts'
import { describeOutage, migrate } from '../store/postgres/migrate.ts'
import { findSessionFix, type SessionTimeouts } from '../store/postgres/pooled-session.ts'
import { createPostgresStore } from '../store/postgres/postgres-store.ts'
import { openKeys } from './keys/open-keys.ts'
import { logKeptPolicies } from './log-kept-policies.ts'
import { openAccess } from './open-access.ts'
import { closeOnFailure, type OpenedParts } from './opened-parts.ts'
import { releaseSends } from './release-sends.ts'
import { policyOf } from './service-settings.ts'
import { sessionTimeouts } from './session-timeouts.ts'
import type { StartWait } from './start-wait.ts'
import type { SystemClock } from './system-clock.ts'
import { createSystemRandom } from './system-random.ts'

export interface Adapters {
  readonly nodeId: string
  readonly clock: SystemClock
  readonly random: Random
  readonly store: Store
  readonly keys: AccessStore
  readonly access: Access
  readonly signer: KeyRing
  /** Encrypted keys in the database. */
  readonly keyStore: KeyStore
  readonly storedKeys: StoredKeys | null
  readonly chains: readonly OpenChain[]
  close(): Promise<void>
}

export interface OpenChain {
  readonly chain: EvmChain
  readonly own: ChainConfig
}

interface AdapterPorts {
  readonly clock: SystemClock
  readonly telemetry: Telemetry
  readonly wait: StartWait
  /** Where the service listens; null: nowhere. */
  readonly http: Config['http'] | null
}

export function openAdapters(config: Config, ports: AdapterPorts): Promise<Adapters> {
  return closeOnFailure((opened) => openEach(config, ports, opened))
}

async function openEach(config: Config, ports: AdapterPorts, opened: OpenedParts): Promise<Adapters> {
  const { clock, telemetry, wait, http } = ports
  const random = createSystemRandom()
  const withDatabase = <T>(attempt: () => Promise<T>) => wait.until('database', attempt, describeOutage)
  const [chains] = await Promise.all([
    Promise.all(config.chains.map((chain) => openChain(chain, ports, opened))),
    withDatabase(() => migrate(config.database.url)),
  ])
  const timeouts = sessionTimeouts(config.lease.durationMs)
  await withDatabase(() => checkPooler(config.database.poolerUrl, timeouts))
  const store = createPostgresStore({
    databaseUrl: config.database.url,
    poolerUrl: config.database.poolerUrl,
    telemetry,
    ...timeouts,
  })
  opened.add(store.close)
  await withDatabase(() => adjustClock(clock, store))
  const nodeId = random.id(clock.now())
  const keys = createPostgresAccessStore({
    databaseUrl: config.database.url,
    poolerUrl: config.database.poolerUrl,
    telemetry,
    applicationName: 'drover access',
  })
  opened.add(keys.close)
  const door = http && { host: http.host, isOpen: config.isOpen }
  const access = await withDatabase(() => openAccess({ store: keys, notices: store, clock, telemetry, nodeId }, door))
  const kit = await openSigningKit()
  telemetry.log('info', `signing with ${describeKit(kit)}`)
  const keyStore = createPostgresKeyStore({
    databaseUrl: config.database.url,
    poolerUrl: config.database.poolerUrl,
    telemetry,
    applicationName: 'drover keys',
  })
  opened.add(keyStore.close)
  const { sources, database } = await openKeys(config.keys, { kit, telemetry, store: keyStore })
  const signer = createKeyRing(sources, { clock, telemetry })
  opened.add(signer.close)
  await signer.firstLook()
  await withDatabase(() => registerSigners(config, { store, signer, chains }))
  await withDatabase(() => releaseSends({ store, signer, keys, telemetry, nodeId, chains }))
  const known = await withDatabase(() => store.listSigners())
  logKeptPolicies(known, telemetry, ({ lane }) =>
    signer.find(lane.signer) === null ? null : policyOf(config, lane.signer),
  )
  return {
    nodeId,
    clock,
    random,
    store,
    keys,
    access,
    signer,
    keyStore,
    storedKeys: database && createStoredKeys({ store: keyStore, masterKeys: database.masterKeys, kit }),
    chains,
    close: async () => {
      await signer.close()
      await Promise.all(chains.map(({ chain }) => chain.close()))
      await Promise.all([access.close(), store.close(), keyStore.close()])
    },
  }
}

/** Throws what to run if the role behind a pooler does not have the session that Drover needs. */
async function checkPooler(poolerUrl: string | null, timeouts: SessionTimeouts): Promise<void> {
  const fix = poolerUrl === null ? null : await findSessionFix(poolerUrl, timeouts)
  if (fix === null) return
  const message = `Behind a pooler, the role needs settings of its own. Run this in PostgreSQL, then \`RECONNECT\` in PgBouncer or restart it: ${fix}`
  throw new ConfigProblems([{ place: 'databasePoolerUrl', message }])
}

async function adjustClock(clock: SystemClock, store: { ping(): Promise<{ readonly nowMs: number }> }): Promise<void> {
  const askedAt = clock.monotonic()
  const { nowMs } = await store.ping()
  clock.adjust(nowMs, askedAt, clock.monotonic())
}

async function openChain(own: ChainConfig, ports: AdapterPorts, opened: OpenedParts): Promise<OpenChain> {
  const { clock, telemetry, wait } = ports
  const describe = (error: unknown) => (error instanceof ChainUnavailable ? error.message : null)
  // Several chains without an id would be told apart by their hosts, which the message has.
  const part = 'chain'
  const chainId = own.chainId ?? (await wait.until(part, () => detectChainId(own.rpcUrls, clock), describe))
  const { rpcUrls: urls, sendUrls, pollIntervalMs, blockTimeMs, rpcMaxPauseMs: maxPauseMs } = own
  const fees = {
    feeModel: own.feeModel,
    fixedPriceWei: own.gasPriceWei,
    priceFloor: own.priceFloor,
    oracle: own.gasOracle,
  }
  const chain = createEvmChain({
    chainId,
    urls,
    weights: own.rpcWeights,
    sendUrls,
    clock,
    telemetry,
    pollIntervalMs,
    blockTimeMs,
    maxPauseMs,
    ...fees,
  })
  opened.add(chain.close)
  return { chain, own }
}

/** Every key on every chain. Those that were removed stay removed. */
export async function registerSigners(
  config: Config,
  { store, signer, chains }: Pick<Adapters, 'store' | 'signer' | 'chains'>,
): Promise<void> {
  const addresses = signer.addresses()
  await store.registerSigners(
    chains.flatMap(({ chain: { chainId } }) =>
      addresses.map((address) => ({
        lane: { chainId, signer: address },
        policy: policyOf(config, address),
        label: null,
      })),
    ),
  )
}
