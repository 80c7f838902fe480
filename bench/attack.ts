/** One tenant attacks with everything that it may use, nothing tuned; another goes on working. How much slower does it get? */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { launchProcess } from '../tests/setup/launch-process.ts'
import { lowerPriority } from './attack/lower-priority.ts'
import { type Observed, observe } from './attack/victim.ts'
import { createKey, startBenchStack } from './flow/stack.ts'
import { withDatabase } from './flow/with-database.ts'
import { build } from './flow.ts'

const ATTACKER = fileURLToPath(new URL('./attack/attacker.ts', import.meta.url))
const ATTACK_MS = 120_000
const WARM_UP_MS = 5_000
/** How many of the slowest requests are listed. */
const SLOWEST = 12

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
    const calm = await observe(victim, attackMs / 4)
    const attack = launchProcess(['--import', import.meta.resolve('tsx'), ATTACKER], {
      ATTACK: JSON.stringify(attacker),
      ATTACK_WITHOUT: process.env.ATTACK_WITHOUT ?? '',
    })
    await attack.lineWhere((line) => line === 'ready')
    lowerPriority(attack.child.pid ?? 0)
    attack.child.kill('SIGUSR2')
    // From its first moment: a burst that nobody expects is the worst of it.
    const attacked = await observe(victim, attackMs)
    const report = attack.lineWhere((line) => line.startsWith('{'))
    attack.child.kill('SIGTERM')
    await attack.exited
    print(calm, attacked)
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
