/** `npm run bench [name…]`: each prints a table with ratios against a baseline that runs beside it. */
import { cpus } from 'node:os'
import { benchGroupCommit } from './group-commit.ts'
import { benchTimers } from './timers.ts'

const BENCHES: Readonly<Record<string, () => void | Promise<void>>> = {
  'group-commit': benchGroupCommit,
  timers: benchTimers,
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(BENCHES, name))
if (unknown.length > 0) {
  process.stderr.write(`there is no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}\n`)
  process.exit(2)
}
process.stdout.write(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}\n`)
for (const [name, run] of Object.entries(BENCHES)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  process.stdout.write(`\n## ${name}\n\n`)
  await run()
}
