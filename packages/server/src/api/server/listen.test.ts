import { spawnSync } from 'node:child_process'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from './listen.ts'

const hasSs = spawnSync('ss', ['--version']).status === 0

test.skipIf(!hasSs)('the system keeps thousands of new connections for the server, not just 511', async () => {
  const server = Fastify()
  onTestFinished(() => server.close())
  const url = await listen(server, { host: '127.0.0.1', port: 0 })
  const { stdout } = spawnSync('ss', ['-Hltn', `sport = :${new URL(url).port}`], { encoding: 'utf8' })
  // The second number of a socket that listens.
  expect(Number(stdout.trim().split(/\s+/)[2])).toBeGreaterThan(511)
})

test('a port in use is named', async () => {
  const [first, second] = [Fastify(), Fastify()]
  onTestFinished(async () => void (await Promise.all([first.close(), second.close()])))
  const url = await listen(first, { host: '127.0.0.1', port: 0 })
  const port = Number(new URL(url).port)
  await expect(listen(second, { host: '127.0.0.1', port })).rejects.toThrow(`port ${port} on 127.0.0.1 is used`)
})
