/**
 * The import table: the folders are the architecture, and a folder may import what stands beside it here, nothing else.
 * Tests may import anything; nothing may import a test.
 */
const MAY_IMPORT = {
  core: [],
  ports: ['core'],
  engine: ['core', 'ports'],
  store: ['core', 'ports'],
  chain: ['core', 'ports'],
  signer: ['core', 'ports'],
  hooks: ['core', 'ports'],
  webhooks: ['core', 'ports', 'hooks'],
  api: ['core', 'ports', 'engine'],
  // The same rules for what a caller may write, and the same wall against other names, as for the rest of the HTTP server.
  rpc: ['core', 'ports', 'engine', 'api/contract', 'api/parse-input', 'api/access/check-host'],
  telemetry: ['core', 'ports'],
  config: ['core', 'ports', 'telemetry'],
  app: [
    'core',
    'ports',
    'engine',
    'store',
    'chain',
    'signer',
    'hooks',
    'webhooks',
    'api',
    'rpc',
    'telemetry',
    'config',
  ],
  // What other programs may take one by one, without loading the whole service.
  exports: ['core', 'config', 'telemetry/redactor', 'api/contract', 'api/parse-input'],
}

/** What a package may use of the others, through their public entries. */
const PACKAGES_MAY_IMPORT = {
  timers: [],
  client: [],
  server: [],
  dev: ['server'],
  cli: ['server', 'client', 'timers', 'dev'],
}

/** Packages that only these folders of the server may know. */
const ONLY_KNOWN_TO = {
  pg: ['store'],
  viem: ['chain', 'signer', 'api/contract'],
  fastify: ['api', 'rpc'],
  zod: ['api', 'rpc'],
  ws: ['rpc'],
  pino: ['telemetry'],
  'prom-client': ['telemetry'],
}

/** What engine code may use of Node: it has no clock, disk or network but by its ports. */
const ENGINE_BUILT_INS = ['crypto']

const SERVER = '^packages/server/src'
const TEST = '(\\.(test|suite)\\.ts$|/src/testing/)'
const inServer = (folders) => `${SERVER}/(${folders.join('|')})(/|\\.ts$)`
const nodeModule = (name) => `(^|node_modules/)${name}(/|$)`

const folderRules = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `${folder}-imports`,
  comment: `${folder}/ may import ${allowed.length === 0 ? 'nothing outside itself' : `only ${allowed.join(', ')}`}.`,
  severity: 'error',
  from: { path: `${SERVER}/${folder}/`, pathNot: TEST },
  to: { path: `${SERVER}/`, pathNot: inServer([folder, ...allowed]) },
}))

const betweenPackages = Object.entries(PACKAGES_MAY_IMPORT).map(([name, allowed]) => ({
  name: `package-${name}-imports`,
  comment: `packages/${name} may use ${allowed.length === 0 ? 'none of the others' : `only ${allowed.join(', ')}`}.`,
  severity: 'error',
  from: { path: `^packages/${name}/`, pathNot: TEST },
  to: { path: '^packages/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
}))

const packageRules = Object.entries(ONLY_KNOWN_TO).map(([name, folders]) => ({
  name: `only-${folders[0]}-knows-${name}`,
  comment: `${name} is known to ${folders.join(', ')} only.`,
  severity: 'error',
  from: { path: `${SERVER}/`, pathNot: [TEST, inServer(folders)] },
  to: { path: nodeModule(name) },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...folderRules,
    ...packageRules,
    {
      name: 'core-is-pure',
      comment: 'core/ and ports/ know no package and nothing of Node.',
      severity: 'error',
      from: { path: `${SERVER}/(core|ports)/`, pathNot: TEST },
      to: { pathNot: `${SERVER}/` },
    },
    {
      name: 'engine-has-ports-only',
      comment: 'The engine reaches the world through its ports.',
      severity: 'error',
      from: { path: `${SERVER}/engine/`, pathNot: TEST },
      to: { dependencyTypes: ['core'], pathNot: `^(node:)?(${ENGINE_BUILT_INS.join('|')})$` },
    },
    ...betweenPackages,
    {
      name: 'packages-by-their-entry',
      comment: 'Another package is used through its public entries.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/', pathNot: [TEST, '^packages/dashboard/'] },
      to: {
        path: '^packages/[^/]+/',
        pathNot: ['^packages/$1/', '^packages/[^/]+/(src|dist)/(index|exports/[^/]+)\\.(ts|js)$'],
      },
    },
    {
      name: 'dev-is-optional',
      comment: 'An installation for production has no @drover/dev: only load-dev.ts loads it, and says how to get it.',
      severity: 'error',
      from: { path: '^packages/cli/', pathNot: [TEST, '^packages/cli/src/run/load-dev\\.ts$'] },
      to: { path: '^packages/dev/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'page-knows-the-contract-only',
      comment:
        "The page takes the types of the API's contract from the server, and nothing that would be in its bundle.",
      severity: 'error',
      from: { path: '^packages/dashboard/', pathNot: TEST },
      to: { path: '^packages/(?!dashboard/)', pathNot: `${SERVER}/api/contract/` },
    },
    {
      name: 'page-takes-types-only',
      severity: 'error',
      from: { path: '^packages/dashboard/', pathNot: TEST },
      to: { path: '^packages/server/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'timers-are-pure',
      comment: '@drover/timers knows nothing of ours and nothing of Node but, for shards in threads, its workers.',
      severity: 'error',
      from: { path: '^packages/timers/src/', pathNot: [TEST, '^packages/timers/src/workers/'] },
      to: { pathNot: ['^packages/timers/src/', nodeModule('@noble/hashes')] },
    },
    {
      name: 'client-stands-alone',
      comment: '@drover/client has no dependencies and runs outside Node too.',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: TEST },
      to: { pathNot: '^packages/client/src/' },
    },
    {
      name: 'no-import-of-tests',
      severity: 'error',
      from: { pathNot: [TEST, '^tests/', '^bench/'] },
      to: { path: [TEST, '^tests/'] },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: { pathNot: TEST },
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A module that nothing imports and that imports nothing is left over.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: ['\\.d\\.ts$', '(^|/)[^/]+\\.config\\.(ts|js|mjs)$', TEST, '^examples/', '/index\\.ts$'],
      },
      to: {},
    },
    {
      name: 'no-unresolvable',
      comment: 'A rule cannot judge what it cannot find.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-undeclared-package',
      comment: 'What a package uses stands in its own package.json.',
      severity: 'error',
      from: { path: '^packages/', pathNot: TEST },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['drover-source', 'import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
}
