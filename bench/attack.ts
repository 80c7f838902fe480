/** One tenant attacks with everything that it may use, nothing tuned; another goes on working. How much slower does it get? */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { launchProcess } from '../tests/setup/launch-process.ts'
import { lowerSessionPriority } from './attack/lower-priority.ts'
import { readStolen } from './attack/stolen-time.ts'
import { type Observed, observe } from './attack/victim.ts'
import { type BenchStack, createKey, startBenchStack } from './flow/stack.ts'
import { readUsage, type Usage } from './flow/usage.ts'
import { withDatabase } from './flow/with-database.ts'
import { build } from './flow.ts'

const ATTACKER = fileURLToPath(new URL('./attack/attacker.ts', import.meta.url))
const ATTACK_MS = 120_000
const WARM_UP_MS = 5_000
/** How many of the slowest requests are listed. */
const SLOWEST = 12
/** How many statements are listed. */
const STATEMENTS = 10

interface Phase {
  readonly observed: Observed
  readonly before: Usage
  readonly after: Usage
  readonly seconds: number
  /** Part of the processors that others on the same hardware took; null if the system does not tell. */
  readonly stolen: number | null
}

/** `--seconds 20` makes it short. */
export async function benchAttack(options: readonly string[]): Promise<void> {
  const place = options.indexOf('--seconds')
  const attackMs = place < 0 ? ATTACK_MS : Number(options[place + 1]) * 1_000
  build()
  const stack = await startBenchStack({
    name: 'attack',
    signers: 2,
    intents: 0,
    blockSeconds: 1,
    preset: 'fast',
    simulate: true,
  })
  try {
    const [own, other] = stack.accounts.map(({ address }) => address)
    if (own === undefined || other === undefined) throw new Error('two signers are needed')
    const { url } = stack.service
    const victim = { url, token: createKey(stack.databaseUrl, 'victim', 'read,send'), signer: own }
    const attacker = { url, token: createKey(stack.databaseUrl, 'attacker', 'read,send'), signer: other }
    await observe(victim, WARM_UP_MS)
    await settleDisk(stack.databaseUrl)
    const calm = await measure(stack, () => observe(victim, attackMs))
    const settings = { ATTACK: JSON.stringify(attacker), ATTACK_WITHOUT: process.env.ATTACK_WITHOUT ?? '' }
    const attack = launchProcess(['--import', import.meta.resolve('tsx'), ATTACKER], settings, '/', true)
    await attack.lineWhere((line) => line === 'ready')
    lowerSessionPriority(attack.child.pid ?? 0)
    attack.child.kill('SIGUSR2')
    // From its first moment: a burst that nobody expects is the worst of it.
    const attacked = await measure(stack, () => observe(victim, attackMs))
    const report = attack.lineWhere((line) => line.startsWith('{'))
    attack.child.kill('SIGTERM')
    await attack.exited
    print(calm.observed, attacked.observed)
    printUsage(calm, attacked)
    process.stdout.write(`\nThe attacker got: ${await report}\n`)
  } finally {
    await stack.stop()
  }
}

/** The database was made seconds ago: else the system would write all of that in the middle of a measurement. */
async function settleDisk(databaseUrl: string): Promise<void> {
  await withDatabase(databaseUrl, (client) => client.query('checkpoint'))
  spawnSync('sync')
}

async function measure(stack: BenchStack, work: () => Promise<Observed>): Promise<Phase> {
  const [before, stolenBefore, startedAt] = [await readUsage(stack), readStolen(), performance.now()]
  const observed = await work()
  const seconds = (performance.now() - startedAt) / 1_000
  const stolenAfter = readStolen()
  const stolen =
    stolenBefore === null || stolenAfter === null
      ? null
      : (stolenAfter.stolen - stolenBefore.stolen) / (stolenAfter.all - stolenBefore.all)
  return { observed, before, after: await readUsage(stack), seconds, stolen }
}

/** What does not depend on how busy the machine is, or says so. */
function printUsage(...phases: readonly Phase[]): void {
  const cells = (name: string, showOf: (phase: Phase) => string): string =>
    `| ${[name, ...phases.map(showOf)].join(' | ')} |`
  const cores = (part: keyof NonNullable<Usage['cpu']>) => (phase: Phase) =>
    phase.before.cpu === null || phase.after.cpu === null
      ? ''
      : ((phase.after.cpu[part] - phase.before.cpu[part]) / phase.seconds / 1e6).toFixed(2)
  const perSecond =
    (countOf: (usage: Usage) => number) =>
    ({ before, after, seconds }: Phase) =>
      ((countOf(after) - countOf(before)) / seconds).toFixed(1)
  const sum = ({ statements }: Usage): number => Object.values(statements).reduce((total, each) => total + each, 0)
  const last = phases.at(-1)
  const risen = (name: string): number => (last?.after.statements[name] ?? 0) - (last?.before.statements[name] ?? 0)
  const names = Object.keys(last?.after.statements ?? {})
    .sort((a, b) => risen(b) - risen(a))
    .slice(0, STATEMENTS)
  const rows = [
    cells('processors: service', cores('service')),
    cells('processors: PostgreSQL', cores('postgres')),
    cells('processors: chain', cores('chain')),
    cells('taken by other machines', ({ stolen }) => (stolen === null ? '' : `${(stolen * 100).toFixed(1)} %`)),
    cells(
      'RPC requests a second',
      perSecond(({ rpcRequests }) => rpcRequests),
    ),
    cells('statements a second', perSecond(sum)),
    ...names.map((name) =>
      cells(
        `– ${name}`,
        perSecond(({ statements }) => statements[name] ?? 0),
      ),
    ),
  ]
  process.stdout.write(`\n| what | calm | attacked |\n| --- | --- | --- |\n${rows.join('\n')}\n`)
}

function print(calm: Observed, attacked: Observed): void {
  const cell = (list: Observed['latencies']['accept'], share: number) =>
    (list[Math.min(list.length - 1, Math.floor(list.length * share))]?.ms ?? 0).toFixed(0)
  const rows = (['accept', 'read', 'event', 'timer'] as const).map((what) => {
    const [before, during] = [calm.latencies[what], attacked.latencies[what]]
    const ratio = Number(cell(during, 0.99)) / Number(cell(before, 0.99))
    const cells = [before, during].flatMap((list) => [list.length, cell(list, 0.5), cell(list, 0.99)])
    return `| ${[what, ...cells, ratio.toFixed(1)].join(' | ')} |`
  })
  const heads = ['what', 'calm: count', 'p50 ms', 'p99 ms', 'attacked: count', 'p50 ms', 'p99 ms', 'p99 ratio']
  process.stdout.write(`| ${heads.join(' | ')} |\n|${' --- |'.repeat(heads.length)}\n${rows.join('\n')}\n`)
  for (const what of ['accept', 'read', 'event'] as const) {
    const slowest = attacked.latencies[what].slice(-SLOWEST).reverse()
    const list = slowest.map(({ ms, at }) => `${ms.toFixed(0)} ms at ${at.toFixed(1)} s`)
    process.stdout.write(`\nSlowest ${what}: ${list.join(', ')}`)
  }
  process.stdout.write(
    `\n\nFailures, calm: ${JSON.stringify(calm.failures)}; attacked: ${JSON.stringify(attacked.failures)}\n`,
  )
}
