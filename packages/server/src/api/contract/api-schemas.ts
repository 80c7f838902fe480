/** Names under which schemas appear in the OpenAPI document: one list for requests, one for responses. */
import { z } from 'zod'

export const requestSchemas = z.registry<{ id: string }>()
export const resourceSchemas = z.registry<{ id: string }>()
