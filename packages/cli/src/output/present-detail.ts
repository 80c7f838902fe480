/** What an event has to say beside its type, on one line. */
import type { DroverEvent } from '@drover/client'

export function presentDetail(detail: DroverEvent['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}
