/** The rules that hold the import table, and a few that no table can say. */
const { FOLDERS, PACKAGES, ONLY_KNOWN_TO } = require('./scripts/import-table.cjs')

/** What engine code may use of Node: it has no clock, disk or network but by its ports. */
const ENGINE_BUILT_INS = ['crypto']

const SERVER = '^packages/server/src'
/** Tests, what only they use, and the simulator, which is made of the same. */
const TEST = '(\\.(test|suite)\\.ts$|/src/testing/|^packages/simulator/)'
const inServer = (folders) => `${SERVER}/(${folders.join('|')})(/|\\.ts$)`
const nodeModule = (name) => `(^|node_modules/)${name}(/|$)`
/** A package of ours is found where it is written. */
const placeOf = (name) =>
  name.startsWith('@drover/') ? `^packages/${name.slice('@drover/'.length)}/` : nodeModule(name)

const folderRules = Object.entries(FOLDERS).map(([folder, { mayImport: allowed }]) => ({
  name: `${folder}-imports`,
  comment: `${folder}/ may import ${allowed.length === 0 ? 'nothing outside itself' : `only ${allowed.join(', ')}`}.`,
  severity: 'error',
  from: { path: `${SERVER}/${folder}/`, pathNot: TEST },
  to: { path: `${SERVER}/`, pathNot: inServer([folder, ...allowed]) },
}))

const betweenPackages = Object.entries(PACKAGES).map(([name, { mayImport: allowed }]) => ({
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
  to: { path: placeOf(name) },
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
        pathNot: [
          '^packages/$1/',
          '^packages/[^/]+/(src|dist)/(index|exports/[^/]+)\\.(ts|js)$',
          // `@drover/client/eip1193`.
          '^packages/client/(src|dist)/eip1193/index\\.(ts|js)$',
        ],
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
      name: 'commands-start-fast',
      comment: 'drover migrate, key, doctor and config do not load the whole service: they use the narrow entries.',
      severity: 'error',
      from: { path: '^packages/cli/src/(setup/|run/migrate-command\\.ts$)', pathNot: TEST },
      to: { path: '^packages/server/src/index\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'page-takes-types-only',
      comment: 'The page takes types from the contract of the API, and nothing that would be in its bundle.',
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
      from: { pathNot: [TEST, '^tests/', '^bench/', '^scripts/reliability/'] },
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
        pathNot: [
          '\\.(d\\.m?ts|cjs)$',
          '(^|/)[^/]+\\.config\\.(ts|js|mjs)$',
          TEST,
          '^examples/',
          '/index\\.ts$',
          'tests/storm/shift-clock\\.mjs$',
        ],
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
