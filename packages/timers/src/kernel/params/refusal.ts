/** Why a call was refused: one code, by one precedence, on every node. */
export const TIMER_ERROR_PRECEDENCE = [
  'ERR_UNSUPPORTED_TIMER_TYPE',
  'ERR_INVALID_PARAM',
  'ERR_UNAUTHORIZED',
  'ERR_TARGET_NOT_FOUND',
  'ERR_TIMER_NOT_FOUND',
  'ERR_QUOTA_EXCEEDED',
] as const

export type TimerErrorCode = (typeof TIMER_ERROR_PRECEDENCE)[number]

export interface Refusal {
  readonly type: 'refused'
  readonly code: TimerErrorCode
  /** What was wrong, naming the field; for people, not part of consensus. */
  readonly message: string
}

export function refuse(code: TimerErrorCode, message: string): Refusal {
  return { type: 'refused', code, message }
}
