/** Like an AbortSignal, which is costly to make for each request: hardly any has to wait. */
export interface Gone {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}
