/** A stop in order gives the lanes up at once, whatever clients are doing at that moment. */
import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestDatabase } from '../setup/database.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService } from '../setup/service.ts'

let database: TestDatabase
let drover: DroverProcess
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ database, drover, stop } = await startService({ env: { DROVER_SHUTDOWN_TIMEOUT: '5s' } }))
})

afterAll(() => stop?.())

async function readOwners(): Promise<readonly (string | null)[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<{ owner_node: string | null }>('select owner_node from signer_lease')
  await client.end()
  return rows.map((row) => row.owner_node)
}

test('a request that never ends does not delay the takeover of a lane', async () => {
  await eventually(readOwners, (owners) => owners.includes(drover.nodeId))
  const { hostname, port } = new URL(drover.url)
  const slow = connect(Number(port), hostname)
  // The end of the process resets it.
  slow.on('error', () => {})
  await once(slow, 'connect')
  slow.write(`POST /v1/transactions HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n`)
  slow.write('Content-Length: 100\r\n\r\n{')
  // Its answer shows that the server has read what was sent before it.
  await drover.get('/healthz')
  expect(await drover.end('SIGTERM')).toBe(1)
  expect(drover.output()).toContain('longer than 5000 ms')
  expect(await readOwners()).toEqual([null])
})
