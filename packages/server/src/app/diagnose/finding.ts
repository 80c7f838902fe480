/** The result of one check: fine, needs attention, or broken; and what to do. */
export interface Finding {
  /** Such as `database`, or `node rpc.example`. */
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly detail: string
  /** What to do about it. */
  readonly fix: string | null
}

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, fix: null }
}

export function warn(check: string, detail: string, fix: string): Finding {
  return { check, status: 'warning', detail, fix }
}

export function failed(check: string, detail: string, fix: string): Finding {
  return { check, status: 'failed', detail, fix }
}
