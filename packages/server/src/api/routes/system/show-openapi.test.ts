import { expect, test } from 'vitest'
import { LOCAL_CALLER } from '../../../core/access/caller.ts'
import type { ApiServices } from '../../api-services.ts'
import { createShowOpenApi } from './show-openapi.ts'

const ASKED = { params: {}, query: {}, headers: {}, body: undefined, disconnected: () => new AbortController().signal }

test('anybody may ask for it, so it is built once, before the first request', async () => {
  let built = 0
  const route = createShowOpenApi(() => {
    built += 1
    return { openapi: '3.1.0' }
  })
  route.prepare?.()
  expect(built).toBe(1)
  for (let times = 0; times < 3; times++) {
    const { body } = await route.answer(ASKED, {} as ApiServices, LOCAL_CALLER)
    expect(String(body)).toBe('{"openapi":"3.1.0"}')
  }
  expect(built).toBe(1)
})
