/** Names under which schemas appear in the OpenAPI document: one list for what is sent, one for what is answered. */
import { z } from 'zod'

export const requestSchemas = z.registry<{ id: string }>()
export const resourceSchemas = z.registry<{ id: string }>()
