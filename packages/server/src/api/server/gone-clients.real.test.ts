import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { AppError } from '../../core/app-error.ts'
import { createUnreadBytes, type UnreadBytes } from '../../engine/tenants/unread-bytes.ts'
import { createTestApi, NO_TURNS, type TestApi } from '../../testing/api/create-test-api.ts'

let api: TestApi
afterEach(() => api.server.close())

/** Every request is refused, after `untilRefusal`. Also counts the answers that still wait to be read. */
async function listen(untilRefusal: () => Promise<boolean>) {
  const all = createUnreadBytes({ maxBytes: 64 * 1024 * 1024 })
  const open = new Set<object>()
  const unread: UnreadBytes = {
    open(tenant, end) {
      const connection = all.open(tenant, end)
      open.add(connection)
      const close = (): void => {
        open.delete(connection)
        connection.close()
      }
      return { ...connection, close }
    },
  }
  const begin = async (): Promise<never> => {
    throw new AppError('tenant_limit', 'Full.')
  }
  api = await createTestApi({ services: { unread, work: { ...NO_TURNS, begin, untilRefusal } } })
  const closed: Promise<unknown>[] = []
  api.server.server.on('request', (_request, response) => closed.push(once(response, 'close')))
  const { port } = new URL(await api.server.listen({ host: '127.0.0.1', port: 0 }))
  return { open, closed, ask: () => ask(Number(port)) }
}

function ask(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /v1/transactions HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  return socket
}

test('a client that has gone before its answer leaves nothing behind', async () => {
  let release = (): void => {}
  const released = new Promise<boolean>((resolve) => {
    release = () => resolve(true)
  })
  let held = (): void => {}
  const isHeld = new Promise<void>((resolve) => {
    held = resolve
  })
  const { open, closed, ask } = await listen(() => {
    held()
    return released
  })
  const answered = once(api.server.server, 'request')
  const socket = ask()
  await answered
  await isHeld
  socket.destroy()
  await Promise.all(closed)
  release()
  // The next answer comes after the first would have been sent.
  const [next] = (await once(ask(), 'data')) as [Buffer]
  expect(next.toString()).toMatch(/^HTTP\/1\.1 429/)
  await Promise.all(closed)
  expect(open.size).toBe(0)
})
