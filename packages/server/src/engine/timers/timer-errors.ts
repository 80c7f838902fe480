/** Why a timer request fails, as errors of the API. */
import { DEFAULT_PARAMS } from '@drover/timers'
import { AppError } from '../../core/app-error.ts'
import type { TimerId } from '../../core/timer/timer.ts'
import type { CommandAnswer } from '../../core/timer/timer-command.ts'

export function forbid(action: string, why: string): AppError {
  return new AppError('action_forbidden', why, { action })
}

export function conflictOf(requestId: string, timerId: TimerId): AppError {
  const message = `Request id ${JSON.stringify(requestId)} was used before with a different body, by timer ${timerId}. Use a new id for a new timer.`
  return new AppError('idempotency_conflict', message, { field: 'requestId', timerId })
}

/** What the API calls the kernel's arguments. Parameters of a chain have the same names in both. */
const FIELDS = new Map([
  ['dueHeight', 'schedule.height'],
  ['everyBlocks', 'schedule.blocks'],
  ['watchKeys', 'schedule.keys'],
  ['payload', 'data'],
  ['gasLimit', 'gasLimit'],
  ['bidFp', 'bid'],
  ...Object.keys(DEFAULT_PARAMS).map((name) => [name, name] as const),
])

/** The kernel's reasons, as errors of the API. */
export function explainRefusal({ code, message }: CommandAnswer & { readonly type: 'refused' }): AppError {
  const reason = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
  switch (code) {
    case 'ERR_QUOTA_EXCEEDED':
      return new AppError('timer_limit', reason, { reason: code })
    case 'ERR_TIMER_NOT_FOUND':
      return new AppError('action_forbidden', reason, { reason: code })
    default: {
      const [name = '', ...rest] = message.split(' ')
      const field = FIELDS.get(name)
      if (field === undefined) return new AppError('invalid_request', reason, { reason: code })
      return new AppError('invalid_request', `${[field, ...rest].join(' ')}.`, { field, reason: code })
    }
  }
}
