/** Why a transaction did not, or does not, advance. */
import { z } from 'zod'

export const errorResource = z.object({ code: z.string(), message: z.string(), reason: z.string().optional() })
