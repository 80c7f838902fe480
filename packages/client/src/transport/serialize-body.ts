/** A request body as JSON: bigints as decimal strings, and no number that JSON would not carry exactly. */
import { DroverError } from './drover-error.ts'

export function serializeBody(body: unknown): string {
  return JSON.stringify(body, (key, value: unknown) => {
    if (typeof value === 'bigint') return value.toString()
    if (typeof value === 'number' && !Number.isSafeInteger(value)) throw inexact(key, value)
    return value
  })
}

/** JSON would make null of NaN and 1e+21 of a large amount: both would be sent as something that was not meant. */
function inexact(field: string, value: number): DroverError {
  const detail = `${field} is ${value}, which is not a whole number that is exact; give it as a bigint or a decimal string.`
  return new DroverError({ code: 'invalid_argument', detail, field })
}
