/** `drover tx watch`: follows transactions to their end. */
import { type Stage, WAIT_STAGES } from '@drover/client'
import { Option } from 'commander'
import { readDuration } from '../option-value.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import { UsageError } from '../service/service-session.ts'
import { followTransactions } from './follow.ts'

/** Each is a request of its own in every round. */
const MAX_AT_ONCE = 50

interface WatchOptions {
  readonly until: Stage
  readonly timeout?: number
}

export const watchCommand: ServiceCommand = {
  name: 'watch <id...>',
  description: 'follow transactions, by id or hash, until they are final or have failed',
  examples: ['drover tx watch 01990a5e-…', 'drover tx watch 0x5e1d… --until mined --timeout 2m --json'],
  configure(command) {
    command
      .addOption(new Option('--until <stage>', 'stop at this stage').choices(WAIT_STAGES).default('confirmed'))
      .option('--timeout <duration>', 'maximum time to watch', readDuration)
  },
  async run(session, command) {
    const { until, timeout } = command.opts<WatchOptions>()
    const keys = command.args
    if (keys.length > MAX_AT_ONCE) throw new UsageError(`you can watch at most ${MAX_AT_ONCE} transactions at once`)
    const { drover, signal } = session
    const first = await Promise.all(keys.map(async (id) => (await drover.transactions.get(id, { signal })).snapshot))
    return await followTransactions(session, { first, until, timeoutMs: timeout ?? null, json: 'changes' })
  },
}
