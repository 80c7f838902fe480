/** `npm run bench [name] [options]`: each prints a table with ratios against a baseline of the same run. */
import { cpus } from 'node:os'
import { benchAttack } from './attack.ts'
import { benchFloods } from './floods.ts'
import { stopBenches } from './flow/stack.ts'
import { benchFlow } from './flow.ts'
import { benchGroupCommit } from './group-commit.ts'
import { benchPage } from './page.ts'
import { benchRetention } from './retention.ts'
import { benchScale } from './scale.ts'
import { benchTimers } from './timers.ts'

const BENCHES: Readonly<Record<string, (options: readonly string[]) => void | Promise<void>>> = {
  attack: benchAttack,
  floods: benchFloods,
  flow: benchFlow,
  'group-commit': () => benchGroupCommit(),
  page: benchPage,
  retention: benchRetention,
  scale: benchScale,
  timers: () => benchTimers(),
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => void stopBenches().finally(() => process.exit(code)))
}
const [asked, ...options] = process.argv.slice(2)
if (asked !== undefined && !Object.hasOwn(BENCHES, asked)) {
  process.stderr.write(`there is no bench ${asked}; there are ${Object.keys(BENCHES).join(', ')}\n`)
  process.exit(2)
}
process.stdout.write(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n`)
for (const [name, run] of Object.entries(BENCHES)) {
  if (asked !== undefined && asked !== name) continue
  process.stdout.write(`\n## ${name}\n\n`)
  await run(options)
}
