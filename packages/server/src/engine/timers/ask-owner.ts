/**
 * Asks the node that runs a chain's timers. The request becomes a command, and the row of the command is the answer.
 * Requests that come together are stored together: a commit that notifies waits for the one before it to reach the
 * disk, so that one commit per request would be the limit. The owner answers all that it finds in one write.
 */
import { AppError } from '../../core/app-error.ts'
import type { CommandAnswer, CommandId, StoredCommand, TimerCommand } from '../../core/timer/timer-command.ts'
import type { Clock, Random } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { CommandInsert, NewCommand, TimerStore } from '../../ports/timer-store.ts'
import { createRequestAnswers } from '../reservations/request-answers.ts'
import { shareCalls } from './share-calls.ts'
import { conflictOf, explainRefusal } from './timer-errors.ts'

export interface AcceptedCommand {
  readonly id: CommandId
  /** What was stored: the earlier command, if the same request came before. */
  readonly command: TimerCommand
  readonly answer: CommandAnswer & { type: 'accepted' }
}

export interface TimerOwner {
  /** Stores the command and waits for its answer; throws if it is refused. */
  ask(chainId: number, command: TimerCommand): Promise<AcceptedCommand>
  close(): void
}

interface OwnerPorts {
  readonly store: Pick<TimerStore, 'insertCommands' | 'findCommands'>
  readonly notices: Pick<Store, 'listen'>
  readonly clock: Clock
  readonly random: Pick<Random, 'id'>
  readonly timeoutMs?: number
}

const ANSWER_MS = 20_000
/** The most commands of a chain that may wait for an answer. */
const MAX_PENDING = 2_000
/** Stored in one statement. */
const MAX_TOGETHER = 200

export function createTimerOwner({ store, notices, clock, random, timeoutMs = ANSWER_MS }: OwnerPorts): TimerOwner {
  const answers = createRequestAnswers<StoredCommand>({
    store: notices,
    clock,
    timeoutMs,
    find: store.findCommands,
    isAnswered: ({ answer }) => answer !== null,
  })
  /** One for each chain that has timers. */
  const inserts = new Map<number, (command: NewCommand) => Promise<CommandInsert>>()

  function insertOn(chainId: number): (command: NewCommand) => Promise<CommandInsert> {
    const insert =
      inserts.get(chainId) ??
      shareCalls<NewCommand, CommandInsert>({
        maxBatch: MAX_TOGETHER,
        maxWaiting: MAX_PENDING,
        refuse: tooMany,
        run: (commands) => store.insertCommands(chainId, commands, MAX_PENDING),
      })
    inserts.set(chainId, insert)
    return insert
  }

  async function waitFor(id: CommandId): Promise<AcceptedCommand> {
    const [stored] = await answers.wait([id])
    if (stored === undefined || stored.answer === null)
      throw new AppError(
        'timers_unavailable',
        'No node has answered in time. The request is stored and will be answered.',
      )
    if (stored.answer.type === 'refused') throw explainRefusal(stored.answer)
    return { id, command: stored.command, answer: stored.answer }
  }

  return {
    ask: async (chainId, command) => {
      const id = random.id(clock.now())
      const inserted = await insertOn(chainId)({ id, command })
      if (inserted.type === 'too_many') throw tooMany()
      if (inserted.type === 'existing' && !inserted.isSame) throw conflictOf(requestIdOf(command), inserted.timerId)
      return await waitFor(inserted.type === 'existing' ? inserted.commandId : id)
    },
    close: answers.close,
  }
}

function requestIdOf(command: TimerCommand): string {
  return command.type === 'set' ? (command.label?.requestId ?? '') : ''
}

export function tooMany(): AppError {
  return new AppError('overloaded', 'Too many timer requests wait to be answered.', { retryAfterMs: 1_000 })
}
