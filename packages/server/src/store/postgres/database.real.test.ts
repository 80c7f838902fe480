/** A server that hangs and then starts again, as the driver sees it: first it says nothing, then that it is starting up. */
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { StoreUnavailable } from '../../ports/store.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createDatabase } from './database.ts'

const NEVER_MS = 3_600_000

/** What PostgreSQL answers to a connection while it starts. */
function refusal(): Buffer {
  const fields = ['SFATAL', 'VFATAL', 'C57P03', 'Mthe database system is starting up', ''].join('\0')
  const body = Buffer.from(`${fields}\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

async function startServer() {
  const sockets = new Set<Socket>()
  let isStarting = false
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('data', () => isStarting && socket.end(refusal()))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    restart: () => {
      isStarting = true
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

test('a server that refuses because it is starting up has not come back', async () => {
  const server = await startServer()
  const telemetry = createRecordingTelemetry()
  const databaseUrl = `postgres://someone@127.0.0.1:${server.port}/some`
  const limits = { statementTimeoutMs: NEVER_MS, connectTimeoutMs: NEVER_MS }
  const database = createDatabase({ databaseUrl, telemetry, ...limits })
  onTestFinished(async () => {
    server.close()
    await database.close()
  })
  const read = () => database.query({ name: null, text: 'select 1' }, [])
  await expect(read()).rejects.toBeInstanceOf(StoreUnavailable)
  expect(telemetry.valueOf('drover_database_up')).toBe(0)
  server.restart()
  for (let count = 0; count < 3; count++) await expect(read()).rejects.toThrow('57P03')
  expect(telemetry.valueOf('drover_database_up')).toBe(0)
  expect(telemetry.logs.map(({ message }) => message)).toEqual(['the database does not respond'])
})
