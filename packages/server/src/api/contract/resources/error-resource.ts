/** Why a transaction did not advance, or is not advancing. */
import { z } from 'zod'
import { bytes } from '../values/bytes.ts'

export const errorResource = z.object({
  code: z.string(),
  message: z.string(),
  reason: z.string().optional(),
  revertData: bytes.optional().meta({ description: 'The data that the contract returned when it reverted.' }),
})
