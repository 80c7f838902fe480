/** Everything that can be said about the code without running it, in one command: each step, its time, and its verdict. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise } from './cruise.ts'
import { findLocalTraces } from './find-local-traces.ts'
import { listPublished } from './packing/list-published.ts'
import { findPackProblems, packPackages } from './packing/pack-packages.ts'
import { runProgram } from './run-program.ts'

type Verdict =
  | { readonly type: 'ok'; readonly note?: string }
  | { readonly type: 'failed'; readonly output: string }
  | { readonly type: 'skipped'; readonly reason: string }

interface Step {
  readonly name: string
  run(): Promise<Verdict>
}

/** What `env` says about a program that is not there. */
const NOT_FOUND = 127
const ROOT = fileURLToPath(new URL('..', import.meta.url))

function program(name: string, command: string, ...args: readonly string[]): Step {
  const local = join(ROOT, 'node_modules/.bin', command)
  return {
    name,
    async run() {
      const { code, output } = await runProgram(existsSync(local) ? local : command, args, ROOT)
      return code === 0 ? { type: 'ok' } : { type: 'failed', output }
    },
  }
}

/** A tool of the machine, not of this repository: where it is missing, the step says so. */
function tool(name: string, command: string, ...args: readonly string[]): Step {
  return {
    name,
    async run() {
      // No cluster is looked for, whatever this machine is connected to.
      const { code, output } = await runProgram('env', ['KUBECONFIG=/dev/null', command, ...args], ROOT)
      if (code === NOT_FOUND) return { type: 'skipped', reason: `${command} is not installed` }
      return code === 0 ? { type: 'ok' } : { type: 'failed', output }
    },
  }
}

const imports: Step = {
  name: 'import table',
  async run() {
    const paths = ['packages', 'scripts', 'tests', 'bench', 'examples'].filter((path) => existsSync(join(ROOT, path)))
    const { moduleCount, violations } = await cruise(ROOT, '.dependency-cruiser.cjs', paths)
    // With a compiler that it does not know, dependency-cruiser reads nothing and is content.
    if (moduleCount === 0) return { type: 'failed', output: 'no module was read' }
    if (violations.length === 0) return { type: 'ok', note: `${moduleCount} modules` }
    return { type: 'failed', output: violations.map(({ rule, from, to }) => `${rule}: ${from} → ${to}`).join('\n') }
  },
}

const audit: Step = {
  name: 'known vulnerabilities',
  async run() {
    const { code, stdout } = await runProgram('npm', ['audit', '--audit-level=high', '--json'], ROOT)
    const report: unknown = stdout.trim().startsWith('{') ? JSON.parse(stdout) : null
    const hasAnswer = typeof report === 'object' && report !== null && 'metadata' in report
    if (!hasAnswer) return { type: 'skipped', reason: 'the registry does not answer audit requests from here' }
    return code === 0 ? { type: 'ok' } : { type: 'failed', output: 'high or critical ones found; see `npm audit`' }
  },
}

const traces: Step = {
  name: 'traces of a local machine',
  async run() {
    const found = await findLocalTraces(ROOT)
    return found.length === 0 ? { type: 'ok' } : { type: 'failed', output: found.join('\n') }
  },
}

/** Laid out as published, for this step and those after it. */
const PACK_FOLDER = join(ROOT, 'node_modules/.cache/drover-packages')

const packages: Step = {
  name: 'contents of the packages',
  async run() {
    const packed = await packPackages({ root: ROOT, into: PACK_FOLDER, repository: null })
    const problems = (await Promise.all(packed.map(findPackProblems))).flat()
    if (problems.length > 0) return { type: 'failed', output: problems.join('\n') }
    const kilobytes = Math.round(packed.reduce((sum, { packedBytes }) => sum + packedBytes, 0) / 1_000)
    return { type: 'ok', note: `${packed.length} packages, ${kilobytes} kB` }
  },
}

async function listSteps(): Promise<readonly Step[]> {
  const hasPageTypes = existsSync(join(ROOT, 'packages/dashboard/tsconfig.json'))
  const published = listPublished(ROOT)
  const staged = (folder: string) => join(PACK_FOLDER, folder)
  return [
    program('format and lint', 'biome', 'check', '--error-on-warnings', '--diagnostic-level=warn'),
    program('types', 'tsc', '--project', '.'),
    program('types of the core, without Node', 'tsc', '--project', 'packages/server/tsconfig.core.json'),
    ...(hasPageTypes ? [program('types of the page', 'tsc', '--noEmit', '--project', 'packages/dashboard')] : []),
    imports,
    program('unused files, exports and packages', 'knip'),
    program(
      'generated references',
      process.execPath,
      '--conditions=drover-source',
      '--import',
      'tsx',
      'scripts/generate.ts',
      '--check',
    ),
    traces,
    tool('alert rules', 'promtool', 'check', 'rules', 'deploy/monitoring/alerts.yml'),
    tool('tests of the alert rules', 'promtool', 'test', 'rules', 'deploy/monitoring/alerts.test.yml'),
    program('container file', 'dockerfile-utils', 'lint', 'deploy/Containerfile'),
    tool('systemd unit', 'systemd-analyze', 'verify', 'deploy/systemd/drover.service'),
    tool('Kubernetes manifests', 'kubectl', 'kustomize', 'deploy/kubernetes'),
    program('build', 'npm', 'run', '--silent', 'build'),
    program('examples with the types as published', 'tsc', '--project', 'examples'),
    packages,
    ...published.flatMap(({ folder, hasTypes }) => [
      program(`package ${folder}`, 'publint', '--strict', staged(folder)),
      ...(hasTypes
        ? [program(`types as published, ${folder}`, 'attw', '--pack', staged(folder), '--profile', 'esm-only')]
        : []),
    ]),
    audit,
  ]
}

async function runStep(step: Step): Promise<Verdict['type']> {
  const startedAt = performance.now()
  const verdict = await step.run()
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)
  const note = verdict.type === 'skipped' ? verdict.reason : verdict.type === 'ok' ? (verdict.note ?? '') : ''
  console.log(`${verdict.type.padEnd(8)}${seconds} s  ${step.name}${note === '' ? '' : ` (${note})`}`)
  if (verdict.type === 'failed') console.log(verdict.output.trimEnd().replaceAll(/^/gm, '    '))
  return verdict.type
}

const verdicts: Verdict['type'][] = []
for (const step of await listSteps()) verdicts.push(await runStep(step))
const failures = verdicts.filter((verdict) => verdict === 'failed').length
console.log(failures === 0 ? 'All checks passed.' : `${failures} of ${verdicts.length} checks failed.`)
process.exitCode = failures === 0 ? 0 : 1
