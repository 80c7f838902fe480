/**
 * The import table: the folders are the architecture, and a folder may import what stands beside it here, nothing else. The rules in
 * `.dependency-cruiser.cjs` and the tables in ARCHITECTURE.md are made from it. Tests may import anything; nothing may import a test.
 */

/** The folders of `packages/server/src`. */
const FOLDERS = {
  core: {
    holds: 'transaction, transition, finality, price, policy, explain: pure functions, no I/O, clock or chance',
    mayImport: [],
  },
  ports: {
    holds: 'what the engine needs of the world, as types: store, chain, signer, clock, telemetry',
    mayImport: ['core'],
  },
  engine: {
    holds:
      'accept and its group commit, lanes, leases, reservations, block follower, inclusion tracker, operator actions',
    mayImport: ['core', 'ports'],
  },
  store: {
    holds: 'PostgreSQL behind the store port, and its migrations; the only folder that knows SQL',
    mayImport: ['core', 'ports'],
  },
  chain: {
    holds: 'the pool of RPC nodes, what their answers to a send mean, receipts, fee reads',
    mayImport: ['core', 'ports'],
  },
  signer: { holds: 'keys; they never leave this folder', mayImport: ['core', 'ports'] },
  hooks: {
    holds: "the stuck hook: an operator's module or URL decides about a stuck transaction",
    mayImport: ['core', 'ports'],
  },
  webhooks: {
    holds: 'delivery of events to webhooks, and what a webhook may point to',
    mayImport: ['core', 'ports', 'hooks'],
  },
  traces: {
    holds: 'transactions as traces, from their events, for an OpenTelemetry collector',
    mayImport: ['core', 'ports'],
  },
  api: {
    holds: 'contract (schemas), routes, access, event streams, problem documents, OpenAPI',
    mayImport: ['core', 'ports', 'engine'],
  },
  rpc: {
    holds: 'the JSON-RPC endpoint: managed sends, look-ups by any hash, pass-through, WebSockets',
    // The same rules for what a caller may write, and the same wall against other names, as for the rest of the HTTP server.
    mayImport: ['core', 'ports', 'engine', 'api/contract', 'api/parse-input', 'api/access/check-host'],
  },
  telemetry: { holds: 'logs and metrics, and what hides secrets in them', mayImport: ['core', 'ports'] },
  config: { holds: 'the settings table, and how settings are read', mayImport: ['core', 'ports', 'telemetry'] },
  app: {
    holds: 'the composition root: the only folder that creates adapters; starts and stops the service',
    mayImport: [
      'core',
      'ports',
      'engine',
      'store',
      'chain',
      'signer',
      'hooks',
      'webhooks',
      'traces',
      'api',
      'rpc',
      'telemetry',
      'config',
    ],
  },
  exports: {
    holds: 'the public sub-paths `@drover/server/{core,settings,contract,admin}`, without the whole service',
    mayImport: [
      'core',
      'config',
      'telemetry/redactor',
      'api/contract',
      'api/parse-input',
      'app/archive',
      'app/diagnose',
      'app/keys/open-key-admin',
      'app/keys/open-keystore-admin',
      'app/keys/open-signer-admin',
      'store/postgres/migrate',
    ],
  },
}

/** Only tests import it, and it is never built. */
const TESTING = { folder: 'testing', holds: 'fakes of the ports, and the suites that fakes and real things both pass' }

/** The packages, and what each may use of the others, through their public entries. */
const PACKAGES = {
  timers: { holds: '`@drover/timers`: the timer kernel and a reference actor chain; pure', mayImport: [] },
  client: { holds: '`@drover/client`: the typed client; no dependencies', mayImport: [] },
  server: { holds: '`@drover/server`: the service, also to be embedded in another program', mayImport: ['timers'] },
  dev: {
    holds: '`@drover/dev`: PostgreSQL and a local chain, for `drover dev` and tests only',
    mayImport: ['server'],
  },
  cli: {
    holds: '`drover`: the command line; starts the service and talks to it',
    mayImport: ['server', 'client', 'timers', 'dev'],
  },
  simulator: {
    holds:
      '`@drover/simulator`: a simulated cluster, chain and database with faults, for `drover simulate` and tests; never published',
    mayImport: ['server'],
  },
  dashboard: { holds: 'the web page, built into the server package', mayImport: ['server/src/api/contract', 'client'] },
}

/** npm packages that only these folders of the server may know. */
const ONLY_KNOWN_TO = {
  pg: ['store'],
  '@drover/timers': ['engine/timers'],
  viem: ['chain', 'signer', 'api/contract'],
  fastify: ['api', 'rpc'],
  '@fastify/static': ['api'],
  zod: ['api', 'rpc'],
  ws: ['rpc'],
  pino: ['telemetry'],
  'prom-client': ['telemetry'],
}

module.exports = { FOLDERS, TESTING, PACKAGES, ONLY_KNOWN_TO }
