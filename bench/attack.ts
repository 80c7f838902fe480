/** One tenant attacks with everything that it may use, nothing tuned; another goes on working. How much slower does it get? */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { launchProcess } from '../tests/setup/launch-process.ts'
import { lowerSessionPriority } from './attack/lower-priority.ts'
import { type StolenReport, watchStolen } from './attack/stolen-time.ts'
import { type Latency, type Measured, type Observed, observe } from './attack/victim.ts'
import { type BenchStack, createKey, startBenchStack } from './flow/stack.ts'
import { readUsage, type Usage } from './flow/usage.ts'
import { withDatabase } from './flow/with-database.ts'
import { build } from './flow.ts'

const ATTACKER = fileURLToPath(new URL('./attack/attacker.ts', import.meta.url))
const ATTACK_MS = 120_000
const WARM_UP_MS = 5_000
/** After the attack: longer than the service counts the attacker as active. What was accepted is mined by then. */
const RECOVERY_MS = 40_000
/** How many of the slowest requests are listed. */
const SLOWEST = 12
/** How many statements are listed. */
const STATEMENTS = 10

interface Phase {
  readonly observed: Observed
  readonly before: Usage
  readonly after: Usage
  readonly seconds: number
  /** What other machines on the same hardware took; null if the system does not tell. */
  readonly stolen: StolenReport | null
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
    // Half of the calm before the attack and half after it: the machine may become busier or quieter meanwhile.
    const before = await measure(stack, () => observe(victim, attackMs / 2))
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
    await cancelTimers(stack)
    const recovering = await measure(stack, () => observe(victim, RECOVERY_MS))
    const after = await measure(stack, () => observe(victim, attackMs / 2))
    print([before, after], [attacked], () => true)
    process.stdout.write('\nOnly what was measured while other machines took at most 2 % of the processors:\n\n')
    print([before, after], [attacked], isUndisturbed)
    process.stdout.write(`\nIn the ${RECOVERY_MS / 1_000} s after the attack:\n\n`)
    print([before, after], [recovering], () => true)
    printSlowest('during the attack', attacked.observed)
    printSlowest('after it', recovering.observed)
    printFailures([before, after], attacked)
    printUsage(before, attacked, recovering, after)
    process.stdout.write(`\nThe attacker got: ${await report}\n`)
  } finally {
    await stack.stop()
  }
}

/** Those of the attacker would go on firing. */
async function cancelTimers({ service: { url, token } }: BenchStack): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const page = await fetch(`${url}/v1/timers?limit=200`, { headers })
  const { items } = (await page.json()) as { readonly items: readonly { readonly id: string }[] }
  for (const { id } of items) {
    const cancelled = await fetch(`${url}/v1/timers/${id}`, { method: 'DELETE', headers })
    if (!cancelled.ok) throw new Error(`timer ${id} was not cancelled: ${cancelled.status}`)
  }
}

/** The database was made seconds ago: else the system would write all of that in the middle of a measurement. */
async function settleDisk(databaseUrl: string): Promise<void> {
  await withDatabase(databaseUrl, (client) => client.query('checkpoint'))
  spawnSync('sync')
}

async function measure(stack: BenchStack, work: () => Promise<Observed>): Promise<Phase> {
  const [before, watch, startedAt] = [await readUsage(stack), watchStolen(), performance.now()]
  const observed = await work()
  const seconds = (performance.now() - startedAt) / 1_000
  return { observed, before, after: await readUsage(stack), seconds, stolen: watch.end() }
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
  const risen = (name: string): number =>
    Math.max(...phases.map(({ before, after }) => (after.statements[name] ?? 0) - (before.statements[name] ?? 0)))
  const names = Object.keys(phases.at(-1)?.after.statements ?? {})
    .sort((a, b) => risen(b) - risen(a))
    .slice(0, STATEMENTS)
  const rows = [
    cells('processors: service', cores('service')),
    cells('processors: PostgreSQL', cores('postgres')),
    cells('processors: chain', cores('chain')),
    cells('taken by other machines', ({ stolen }) => (stolen === null ? '' : `${(stolen.share * 100).toFixed(1)} %`)),
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
  process.stdout.write(
    `\n| what | before | attacked | then | after |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`,
  )
}

/** Nobody else had the processors when it was measured. */
function isUndisturbed({ stolen }: Phase, { at, ms }: Latency): boolean {
  return stolen?.isQuiet(at, at + ms / 1_000) ?? true
}

/** The fastest first. */
function latenciesOf(phases: readonly Phase[], what: Measured, counts: typeof isUndisturbed): readonly number[] {
  const kept = phases.flatMap((phase) => phase.observed.latencies[what].filter((latency) => counts(phase, latency)))
  return kept.map(({ ms }) => ms).sort((a, b) => a - b)
}

function print(calm: readonly Phase[], attacked: readonly Phase[], counts: typeof isUndisturbed): void {
  const at = (list: readonly number[], share: number): number =>
    list[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0
  const rows = (['accept', 'read', 'event', 'timer'] as const).map((what) => {
    const [without, during] = [latenciesOf(calm, what, counts), latenciesOf(attacked, what, counts)]
    const cells = [without, during].flatMap((list) => [
      list.length,
      at(list, 0.5).toFixed(0),
      at(list, 0.99).toFixed(0),
    ])
    return `| ${[what, ...cells, (at(during, 0.99) / at(without, 0.99)).toFixed(1)].join(' | ')} |`
  })
  const heads = ['what', 'calm: count', 'p50 ms', 'p99 ms', 'attacked: count', 'p50 ms', 'p99 ms', 'p99 ratio']
  process.stdout.write(`| ${heads.join(' | ')} |\n|${' --- |'.repeat(heads.length)}\n${rows.join('\n')}\n`)
}

function printSlowest(when: string, { latencies }: Observed): void {
  for (const what of ['accept', 'read', 'event'] as const) {
    const slowest = latencies[what].slice(-SLOWEST).reverse()
    const list = slowest.map(({ ms, at }) => `${ms.toFixed(0)} ms at ${at.toFixed(1)} s`)
    process.stdout.write(`\nSlowest ${what} ${when}: ${list.join(', ')}`)
  }
}

function printFailures(calm: readonly Phase[], attacked: Phase): void {
  const failed = (phases: readonly Phase[]): string =>
    phases.map(({ observed }) => JSON.stringify(observed.failures)).join(', ')
  process.stdout.write(`\n\nFailures, calm: ${failed(calm)}; attacked: ${failed([attacked])}\n`)
}
