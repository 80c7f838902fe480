import { expect, test } from 'vitest'
import { LOCAL_CALLER } from '../../core/access/caller.ts'
import type { EventFilter } from '../../core/webhook/event-filter.ts'
import { createEventSource } from './event-stream.ts'

const ALL: EventFilter = { types: null, chainId: null, signer: null, completions: false }

test('events that arrive while a page is read are not skipped [G8]', async () => {
  let position = 5
  const source = createEventSource(
    {
      tail: {
        follow: () => () => {},
        readAfter: () => null,
        position: () => position,
        close: async () => {},
      },
      // The page is of a moment when there were five events; four more have been read by the tail when it arrives.
      readPage: async () => {
        position = 9
        return []
      },
      pieces: { map: async (_tenant, items, map) => items.map(map) },
      confirmations: null,
    },
    { after: 3, filter: ALL, caller: LOCAL_CALLER },
  )
  await source.readNext()
  expect(source.cursor()).toBe(5)
})
