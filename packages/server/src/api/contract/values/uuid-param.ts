/** A part of a path that is the id of something. */
import { z } from 'zod'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export function uuidParam(what: string) {
  return z
    .string()
    .toLowerCase()
    .regex(UUID, { error: `must be the id of ${what}` })
    .meta({ description: `Id of ${what}.` })
}
