/** The public id of an API key, in a path. */
import { z } from 'zod'

export const keyIdParam = z
  .string()
  .regex(/^[0-9a-f]{16}$/, {
    error: 'must be the id of an API key: 16 hex digits, the part between drv_ and the secret',
  })
  .meta({ description: 'Id of the key.' })
