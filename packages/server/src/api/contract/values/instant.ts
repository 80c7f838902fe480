/** Points in time: ISO 8601 with any offset in requests, UTC in responses, milliseconds since the epoch internally. */
import { z } from 'zod'

/** Beyond these, databases and JSON readers disagree on what a year looks like. */
const [EARLIEST, LATEST] = [Date.UTC(1970, 0, 1), Date.UTC(9999, 11, 31)]

export const instantInput = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time with a zone, e.g. 2030-01-31T12:00:00Z' })
  .meta({ description: 'ISO 8601 time with a zone, from 1970 to 9999.' })
  .transform((text, context) => {
    const ms = Date.parse(text)
    if (ms >= EARLIEST && ms <= LATEST) return ms
    context.addIssue({ code: 'custom', message: 'must be between the years 1970 and 9999' })
    return z.NEVER
  })

export const instant = z.iso.datetime().meta({ description: 'ISO 8601, UTC.' })

export function presentInstant(ms: number): string {
  return new Date(ms).toISOString()
}

export function presentOptionalInstant(ms: number | null): string | null {
  return ms === null ? null : presentInstant(ms)
}
