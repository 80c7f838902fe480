/** The process is killed between allocation and broadcast: the bytes were durable, so the same bytes go out after a restart. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { startDrover } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { type Ground, startGround } from '../setup/ground.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'

const sender = developmentAccount(0)
const env = {
  DROVER_FINALITY: '1',
  DROVER_LEASE_DURATION: '2s',
  DROVER_LEASE_RENEW_INTERVAL: '500ms',
}

let ground: Ground
let proxy: RpcProxy

beforeAll(async () => {
  ground = await startGround()
  proxy = await startRpcProxy(ground.chain.rpcUrl)
})

afterAll(async () => {
  await proxy?.stop()
  await ground?.stop()
})

test('kill -9 between allocation and broadcast, then restart: same hash, one transaction on chain [G4]', async () => {
  const { chain, database } = ground
  const options = { databaseUrl: database.url, rpcUrl: proxy.url, signerKeys: [sender.privateKey], env }
  const send = proxy.hold('eth_sendRawTransaction', 'before')
  const first = await startDrover(options)
  const answer = await first.post('/v1/transactions', {
    from: sender.address,
    to: developmentAccount(9).address,
    value: '1',
  })
  const { id } = answer.body
  // The send has left the process and stands at the proxy: the node has not seen it.
  await send.arrived
  const allocated = (await first.get(`/v1/transactions/${id}`)).body
  expect(allocated).toMatchObject({ state: 'ALLOCATED', nonce: 0 })
  await first.end('SIGKILL')
  send.release({ type: 'drop', forward: false })
  expect(await chain.rpc('eth_getTransactionCount', [sender.address, 'pending'])).toBe('0x0')

  const second = await startDrover(options)
  const final = await eventually(
    async () => {
      await chain.mine(1)
      return (await second.get(`/v1/transactions/${id}`)).body
    },
    (tx) => tx.state === 'CONFIRMED',
  )
  expect(final.hashes).toEqual([allocated.hash])
  expect(await chain.rpc('eth_getTransactionCount', [sender.address, 'latest'])).toBe('0x1')
  await second.end()
})
