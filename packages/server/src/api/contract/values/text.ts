/** Free text that people write: bounded, and limited to what the database returns unchanged. */
import { z } from 'zod'

/** PostgreSQL keeps neither the zero character nor half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/[\ud800-\udfff]/u.test(text)
}

/** Leading and trailing blanks do not count: a text of only blanks says nothing. */
export function textInput(maxLength: number) {
  const error = `must be text of 1 to ${maxLength} characters`
  return z
    .string({ error })
    .trim()
    .min(1, { error })
    .max(maxLength, { error })
    .refine(isStorable, { error: 'must be valid text without zero characters' })
}
