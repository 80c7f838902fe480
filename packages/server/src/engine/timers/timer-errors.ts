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

/** Which parameter of the chain the kernel's words are about, and which field of the request. */
const QUOTAS = [
  { words: /^too many timers watch/, field: 'schedule', bound: 'maxWatchersPerPrefix' },
  { words: /target/, field: 'to', bound: 'maxTimersPerTarget' },
  { words: /^the owner/, field: 'from', bound: 'maxTimersPerOwner' },
]

function explainQuota(reason: string, code: string, message: string): AppError {
  const quota = QUOTAS.find(({ words }) => words.test(message))
  if (quota === undefined) return new AppError('timer_limit', reason, { reason: code })
  const { field, bound } = quota
  const advice = `The limit is the parameter ${bound} of the chain. Cancel timers that are no longer needed, or raise it.`
  return new AppError('timer_limit', `${reason} ${advice}`, { field, bound, reason: code })
}

/** The reasons of the kernel and of the node that runs it, as errors of the API. */
export function explainRefusal({ code, message, ...names }: CommandAnswer & { readonly type: 'refused' }): AppError {
  const reason = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
  switch (code) {
    case 'ERR_TENANT_SHARE': {
      const { field, bound, limit } = names
      return new AppError('timer_limit', message, { reason: code, ...(field && { field }), bound, limit })
    }
    case 'ERR_QUOTA_EXCEEDED':
      return explainQuota(reason, code, message)
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
