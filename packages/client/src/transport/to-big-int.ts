/** Amounts of answers are decimal strings, because JSON numbers lose digits; this makes them ready to be counted with. */
import { DroverError } from './drover-error.ts'

export function toBigInt(amount: string): bigint {
  // BigInt reads '' and ' ' as 0, and an amount that is not there is not nothing.
  if (/^[0-9]+$/.test(amount)) return BigInt(amount)
  const detail = `${JSON.stringify(amount)} is not an amount: a whole number as a decimal string was expected.`
  throw new DroverError({ code: 'invalid_argument', detail })
}
