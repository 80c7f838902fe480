/**
 * What many lanes, a long queue and a lost node cost. Counts and CPU time first: they do not depend on how busy the
 * machine is.
 */
import { build } from './flow.ts'
import { measureDeepQueue } from './scale/deep-queue.ts'
import { measureEventOrder } from './scale/event-order.ts'
import { measureIdleLanes } from './scale/idle-lanes.ts'
import { measureStoredTimers } from './scale/stored-timers.ts'
import { measureTakeover } from './scale/takeover.ts'

/** Each returns its rows: what was measured, and the figure. */
const PARTS: Readonly<Record<string, () => Promise<Readonly<Record<string, string>>>>> = {
  '1 idle lane': () => measureIdleLanes(1),
  '1,000 idle lanes': () => measureIdleLanes(1_000),
  '10,000 idle lanes': () => measureIdleLanes(10_000),
  'deep queue': () => measureDeepQueue(100_000),
  'event order': () => measureEventOrder(),
  'stored timers': () => measureStoredTimers([1_000, 10_000, 100_000]),
  takeover: () => measureTakeover(),
}

/** `--part 'deep queue'` runs one. */
export async function benchScale(options: readonly string[]): Promise<void> {
  const place = options.indexOf('--part')
  const asked = place < 0 ? null : options[place + 1]
  if (asked !== null && !Object.hasOwn(PARTS, asked ?? '')) {
    throw new Error(`unknown part; there are ${Object.keys(PARTS).join(', ')}`)
  }
  build()
  process.stdout.write('| part | measured | figure |\n| --- | --- | --- |\n')
  for (const [name, measure] of Object.entries(PARTS)) {
    if (asked !== null && asked !== name) continue
    for (const [what, figure] of Object.entries(await measure())) {
      process.stdout.write(`| ${name} | ${what} | ${figure} |\n`)
    }
  }
}
