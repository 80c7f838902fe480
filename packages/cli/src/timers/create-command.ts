/** `drover timers create` and `update`: a timer from options. */
import type { TimerChange, TimerRequest } from '@drover/client'
import { type Command, Option } from 'commander'
import { collect, collectEntries, readAmount, readChainId, readCount } from '../option-value.ts'
import type { ServiceCommand } from '../service/service-command.ts'
import { UsageError } from '../service/service-session.ts'
import { readCallArguments } from '../tx/call-arguments.ts'
import { presentTimer } from './present-timer.ts'

interface TermOptions {
  readonly data?: string
  readonly function?: string
  readonly arg?: readonly string[]
  readonly gasLimit?: string
  readonly bid?: string
}

interface ScheduleOptions {
  readonly at?: number
  readonly in?: number
  readonly inMinutes?: number
  readonly every?: number
  readonly everyMinutes?: number
  readonly cron?: string
  readonly watch?: string
  readonly event?: string
  readonly eventArg?: readonly string[]
  readonly key?: readonly string[]
}

interface CreateOptions extends TermOptions, ScheduleOptions {
  readonly from: string
  readonly to: string
  readonly chainId?: number
  readonly value?: string
  readonly when?: string
  readonly whenTo?: string
  readonly overlap?: 'buffer' | 'skip'
  readonly appendDeliverId?: boolean
  readonly maxFailures?: number
  readonly onLowFunds?: 'wait' | 'skip'
  readonly name?: string
  readonly requestId?: string
  readonly metadata?: Readonly<Record<string, string>>
}

const readBlocks = readCount(1, 2 ** 32 - 1)

function addTerms(command: Command): Command {
  return command
    .option('--data <hex>', 'call data')
    .option('--function <signature>', 'the function to call, such as "poke(uint256)"')
    .option('--arg <value>', 'an argument of --function; repeat for each, lists and tuples as JSON', collect)
    .option('--gas-limit <gas>', 'gas limit of each fire', readAmount)
    .option(
      '--bid <number>',
      'goes first when more timers are due than may fire in a block; needs the scope priority',
      readAmount,
    )
}

function toTerms({ data, function: signature, arg = [], gasLimit, bid }: TermOptions): TimerChange {
  if (signature === undefined && arg.length > 0) throw new UsageError('--arg needs --function')
  const read = signature === undefined ? null : readCallArguments(signature, arg)
  if (read !== null && 'problem' in read) throw new UsageError(read.problem)
  return {
    ...(data !== undefined && { data }),
    ...(read !== null && signature !== undefined && { call: { function: signature, args: [...read.args] } }),
    ...(gasLimit !== undefined && { gasLimit }),
    ...(bid !== undefined && { bid }),
  }
}

function addSchedule(command: Command): Command {
  return command
    .option('--at <height>', 'fire once, at this block', readCount(1, Number.MAX_SAFE_INTEGER))
    .option('--in <blocks>', 'fire once, this many blocks from now', readBlocks)
    .option('--in-minutes <minutes>', 'fire once, after about this long', readBlocks)
    .option('--every <blocks>', 'fire every so many blocks', readBlocks)
    .option('--every-minutes <minutes>', 'fire about this often', readBlocks)
    .option(
      '--cron <line>',
      'fire about these times: five fields, in UTC, such as "0 9 * * mon-fri", or @hourly, @daily, @weekly, @monthly or @yearly',
    )
    .option('--watch <address>', 'fire when this contract logs an event')
    .option('--event <signature>', 'only this event; with --watch')
    .option('--event-arg <value>', 'an indexed argument of --event; repeat for the first ones, in order', collect)
    .option('--key <hex>', 'watch this raw key prefix; repeat for each', collect)
}

const SCHEDULE_OPTIONS = [
  'at',
  'in',
  'inMinutes',
  'every',
  'everyMinutes',
  'cron',
  'watch',
  'event',
  'eventArg',
  'key',
] as const

/** Nothing, if no schedule is given. */
function toNewSchedule(options: ScheduleOptions): Pick<TimerChange, 'schedule'> {
  return SCHEDULE_OPTIONS.some((name) => options[name] !== undefined) ? { schedule: toSchedule(options) } : {}
}

function toSchedule(options: ScheduleOptions): TimerRequest['schedule'] {
  const given: TimerRequest['schedule'][] = [
    ...(options.at === undefined ? [] : [{ type: 'timeout', height: options.at } as const]),
    ...(options.in === undefined ? [] : [{ type: 'timeout', blocks: options.in } as const]),
    ...(options.inMinutes === undefined ? [] : [{ type: 'timeout', minutes: options.inMinutes } as const]),
    ...(options.every === undefined ? [] : [{ type: 'interval', blocks: options.every } as const]),
    ...(options.everyMinutes === undefined ? [] : [{ type: 'interval', minutes: options.everyMinutes } as const]),
    ...(options.cron === undefined ? [] : [{ type: 'cron', cron: options.cron } as const]),
    ...(options.watch === undefined ? [] : [toWatch(options, options.watch)]),
    ...(options.key === undefined ? [] : [{ type: 'watch', keys: [...options.key] } as const]),
  ]
  const [only, ...others] = given
  if (only !== undefined && others.length === 0) return only
  throw new UsageError(
    'give exactly one of --at, --in, --in-minutes, --every, --every-minutes, --cron, --watch and --key',
  )
}

function toWatch({ event, eventArg }: ScheduleOptions, contract: string): TimerRequest['schedule'] {
  return {
    type: 'watch',
    contract,
    ...(event !== undefined && { event }),
    ...(eventArg !== undefined && { args: [...eventArg] }),
  }
}

const CONDITION = /^(.+\)(?:\s*(?:view\s+)?returns\s*\(.+\))?)\s*(==|!=|<=|>=|<|>)\s*(-?\d+|true|false)$/
const COMPARISONS = { '==': 'eq', '!=': 'ne', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const

function toCondition({ when, whenTo }: CreateOptions): Pick<TimerRequest, 'when'> {
  if (when === undefined) return {}
  const [, signature = '', sign = '', value = ''] = CONDITION.exec(when.trim()) ?? []
  if (signature === '')
    throw new UsageError('--when must look like "pending() > 0", with a view function without arguments')
  return {
    when: {
      ...(whenTo !== undefined && { to: whenTo }),
      function: signature,
      is: COMPARISONS[sign as keyof typeof COMPARISONS],
      value: value === 'true' || value === 'false' ? value === 'true' : value,
    },
  }
}

export const createTimer: ServiceCommand = {
  name: 'create',
  description: 'create a timer: a call at a block, every so many blocks, or when an event is logged',
  examples: [
    'drover timers create --from 0xf39F… --to 0x5FbD… --function "poke()" --every 10',
    'drover timers create --from 0xf39F… --to 0x5FbD… --function "close()" --in-minutes 30',
    'drover timers create --from 0xf39F… --to 0x5FbD… --function "react()" --watch 0xA0b8… --event "Transfer(address indexed from, address indexed to, uint256 value)"',
    'drover timers create --from 0xf39F… --to 0x5FbD… --function "harvest()" --every 100 --when "pending() > 0"',
  ],
  configure: (command) =>
    void addTerms(
      addSchedule(
        command
          .requiredOption('--from <address>', 'the signer that sends and pays')
          .requiredOption('--to <address>', 'the contract to call'),
      ),
    )
      .option('--value <amount>', 'amount that each fire sends, in wei or with a unit: 0.1ether', readAmount)
      .option('--when <condition>', 'send only if a view function says so at that block, such as "pending() > 0"')
      .option('--when-to <address>', 'the contract to ask (default: --to)')
      .addOption(
        new Option('--overlap <policy>', 'if earlier fires are not final: buffer or skip').choices(['buffer', 'skip']),
      )
      .option('--append-deliver-id', 'append the id of the fire to the call data')
      .addOption(
        new Option('--on-low-funds <rule>', 'while the signer is out of funds: wait or skip').choices(['wait', 'skip']),
      )
      .option('--max-failures <count>', 'end it after this many reverts in a row', readCount(1, 1_000_000))
      .option('--name <text>', 'a name, for people')
      .option('--chain-id <id>', 'the chain; optional if the service has only one', readChainId)
      .option('--request-id <id>', 'idempotency key: sending it again returns the same timer')
      .option('--metadata <key=value>', 'your own data; repeat for each', collectEntries),
  async run({ drover, signal, style, print }, command) {
    const options = command.opts<CreateOptions>()
    const { from, to, chainId, value, overlap, appendDeliverId, onLowFunds, maxFailures, name, requestId, metadata } =
      options
    const timer = await drover.timers.create(
      {
        from,
        to,
        schedule: toSchedule(options),
        ...toTerms(options),
        ...toCondition(options),
        ...(chainId !== undefined && { chainId }),
        ...(value !== undefined && { value }),
        ...(overlap !== undefined && { overlap }),
        ...(appendDeliverId !== undefined && { appendDeliverId }),
        ...(onLowFunds !== undefined && { onLowFunds }),
        ...(maxFailures !== undefined && { maxFailures }),
        ...(name !== undefined && { name }),
        ...(requestId !== undefined && { requestId }),
        ...(metadata !== undefined && { metadata }),
      },
      { signal },
    )
    print(timer, () => presentTimer(timer, style))
    return undefined
  },
}

export const updateTimer: ServiceCommand = {
  name: 'update <id>',
  description: 'change the schedule, call data, gas limit or bid of a timer; it goes to the back of the line',
  examples: ['drover timers update 7a1b… --gas-limit 200000', 'drover timers update 7a1b… --every 50'],
  configure: (command) => void addTerms(addSchedule(command)),
  async run({ drover, signal, style, print }, command) {
    const options = command.opts<TermOptions & ScheduleOptions>()
    const change = { ...toNewSchedule(options), ...toTerms(options) }
    const timer = await drover.timers.update(command.args[0] ?? '', change, { signal })
    print(timer, () => presentTimer(timer, style))
    return undefined
  },
}
