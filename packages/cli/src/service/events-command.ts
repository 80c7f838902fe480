/** `drover events`: past events in commit order, and live ones. */
import type { ConfirmationUpdate, DroverEvent } from '@drover/client'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { readCount } from '../option-value.ts'
import { presentDetail } from '../output/present-detail.ts'
import { cut, type Style, shorten, toVisible } from '../output/style.ts'
import { addServiceCommand } from './service-command.ts'
import { Interrupted, type Session, UsageError } from './service-session.ts'

const GAP = '  '

interface EventsOptions {
  readonly follow?: boolean
  readonly after?: number
  readonly completions?: boolean
  readonly confirmations?: boolean
  readonly limit?: number
}

export function addEventsCommand(program: Command, context: CommandContext): void {
  addServiceCommand(program, context, {
    name: 'events',
    description: 'print events in commit order, one line each',
    examples: [
      'drover events --after 1200',
      'drover events --follow --completions --json | while read -r event; do … ; done',
    ],
    configure: (command) =>
      void command
        .option('--follow', 'keep printing new events until Ctrl-C; survives outages')
        .option('--after <eventId>', 'only events after this one', readCount(0, Number.MAX_SAFE_INTEGER))
        .option('--completions', 'only the event that ends each transaction')
        .option('--confirmations', 'print new confirmations of mined transactions instead, until Ctrl-C')
        .option('--limit <count>', 'stop after this many', readCount(1, 1_000_000)),
    run: (session, command) => run(session, command.opts<EventsOptions>()),
  })
}

async function run(session: Session, options: EventsOptions): Promise<ExitCode> {
  if (options.confirmations !== true) return printEvents(session, options)
  if (options.after !== undefined || options.completions) {
    throw new UsageError(
      '--confirmations cannot be combined with --after or --completions: confirmations are not stored',
    )
  }
  return printConfirmations(session, options.limit ?? Number.POSITIVE_INFINITY)
}

async function printConfirmations(session: Session, limit: number): Promise<ExitCode> {
  let count = 0
  try {
    for await (const update of session.drover.confirmations({ signal: session.signal })) {
      session.print(update, () => presentConfirmations(update))
      if (++count >= limit) break
    }
    return EXIT.ok
  } catch (error) {
    if (error instanceof Interrupted) return EXIT.interrupted
    throw error
  }
}

export function presentConfirmations({ transactionId, count, required, newFork, confirmations }: ConfirmationUpdate) {
  const progress = typeof required === 'number' ? `${count} of ${required}` : `${count}, until ${required}`
  const newest = confirmations.at(-1)
  const where = newest === undefined ? '' : `block ${newest.blockNumber} ${newest.blockHash}`
  return join([transactionId, progress, where, newFork && count > 0 ? 'whole list' : ''])
}

async function printEvents(session: Session, options: EventsOptions): Promise<ExitCode> {
  const { after = 0, follow = false, completions = false, limit = Number.POSITIVE_INFINITY } = options
  let last = after
  let count = 0
  try {
    for await (const event of session.drover.events({ after, follow, completions, signal: session.signal })) {
      session.print(event, () => presentEvent(event, session.style))
      last = event.eventId
      if (++count >= limit) break
    }
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    if (!session.json) session.note(`To continue from here: drover events --follow --after ${last}`)
    return EXIT.interrupted
  }
}

/** On a terminal only the details are cut: a line without its id and its type would say nothing. */
export function presentEvent(event: DroverEvent, style: Style): string {
  const { eventId, at, type, transactionId, from, toState, subState, cause, detail } = event
  const state = [toState, subState].filter(Boolean).join(' ')
  const head = join([String(eventId), at, transactionId ?? shorten(from, style), type, state])
  const rest = join([cause ?? '', presentDetail(detail)])
  const room = style.width === null ? Number.POSITIVE_INFINITY : style.width - head.length - GAP.length
  return rest === '' || room < 1 ? head : `${head}${GAP}${cut(rest, room)}`
}

function join(parts: readonly string[]): string {
  return toVisible(parts.filter((part) => part !== '').join(GAP))
}
