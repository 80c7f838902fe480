/**
 * A tenant that floods, as a process of its own. It prints `ready` when it has loaded, begins with SIGUSR2, and prints
 * its report as one line of JSON after SIGTERM.
 */

import { type FloodOrder, FloodTally } from './flood-report.ts'
import { floodWithIntents } from './flood-with-intents.ts'
import { floodWithPayloads } from './flood-with-payloads.ts'
import { floodWithReaders } from './flood-with-readers.ts'

/** Each begins, and returns how to end it. */
const KINDS: Readonly<Record<string, (order: FloodOrder, tally: FloodTally) => () => Promise<void>>> = {
  intents: floodWithIntents,
  payloads: floodWithPayloads,
  readers: floodWithReaders,
}

const order = JSON.parse(process.env.FLOOD ?? '{}') as FloodOrder
const begin = KINDS[order.kind]
if (begin === undefined) throw new Error(`unknown flood ${order.kind}`)
const tally = new FloodTally()

process.once('SIGUSR2', () => {
  const startedAt = performance.now()
  const end = begin(order, tally)
  process.once('SIGTERM', async () => {
    const seconds = (performance.now() - startedAt) / 1_000
    await end()
    process.stdout.write(`${JSON.stringify(tally.report(seconds))}\n`, () => process.exit(0))
  })
})
process.stdout.write('ready\n')
setInterval(() => undefined, 60_000)
