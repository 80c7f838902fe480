/** A caller that disconnects, over a real connection. */
import { connect } from 'node:net'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { LOCAL_CALLER } from '../core/access/caller.ts'
import type { JsonRpcServer, RpcRequestContext } from './json-rpc-server.ts'
import { registerRpc } from './register-rpc.ts'

test('the endpoint learns that the caller has gone, and not before', async () => {
  let arrive = (_context: RpcRequestContext): void => {}
  const arrived = new Promise<RpcRequestContext>((resolve) => {
    arrive = resolve
  })
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const endpoint: JsonRpcServer = {
    answer: async (_text, context) => {
      arrive(context)
      await released
      return '{}'
    },
    refuse: () => null,
    resolveChain: () => 1,
    sourcesOf: () => {
      throw new Error('nobody subscribes')
    },
    close: () => {},
  }
  const server = Fastify()
  registerRpc(server, { endpoint, sockets: { attach: () => {}, close: () => {} }, callerOf: () => LOCAL_CALLER })
  const closed = new Promise<void>((resolve) => {
    server.addHook('onRequest', async (_request, reply) => void reply.raw.once('close', resolve))
  })
  try {
    await server.listen({ port: 0, host: '127.0.0.1' })
    const address = server.server.address()
    if (address === null || typeof address === 'string') throw new Error('it listens on no port')
    const socket = connect(address.port, '127.0.0.1')
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_call"}'
    socket.write(
      `POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    const { gone } = await arrived
    expect(gone.aborted).toBe(false)
    socket.destroy()
    await closed
    expect(gone.aborted).toBe(true)
  } finally {
    release()
    await server.close()
  }
})
