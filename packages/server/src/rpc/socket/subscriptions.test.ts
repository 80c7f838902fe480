import { expect, test } from 'vitest'
import { LOCAL_CALLER } from '../../core/access/caller.ts'
import { AppError } from '../../core/app-error.ts'
import { createTenantPool } from '../../engine/tenants/tenant-pool.ts'
import { createScriptedChain } from '../../testing/rpc/scripted-chain.ts'
import { createRecordingTelemetry } from '../../testing/telemetry/recording-telemetry.ts'
import { createHeadFeed } from './head-feed.ts'
import { createSubscriptions } from './subscriptions.ts'

function start() {
  const chain = createScriptedChain()
  const { forwarder, onHeadHint } = chain
  const heads = createHeadFeed({
    upstream: { chainId: 1, onHeadHint },
    forwarder,
    telemetry: createRecordingTelemetry(),
  })
  const clock = { schedule: () => () => {} }
  const places = createTenantPool({
    what: 'subscriptions',
    size: 2,
    sharePercent: 50,
    retryAfterMs: 1_000,
    whenFull: () => new AppError('overloaded', 'full'),
  })
  const enter = () => places.enter('ann')
  const sources = { heads, forwarder, clock, enter, pending: { listen: () => () => {} } }
  const subscriptions = createSubscriptions(sources, { send: () => {}, fail: () => {} })
  const subscribe = async (): Promise<unknown> =>
    subscriptions.begin().methods.get('eth_subscribe')?.(['newHeads'], LOCAL_CALLER)
  return { chain, subscriptions, subscribe, places }
}

test('nobody listens any more when the connection has ended', async () => {
  const { chain, subscriptions, subscribe } = start()
  await subscribe()
  expect(chain.listenerCount()).toBe(1)
  subscriptions.close()
  expect(chain.listenerCount()).toBe(0)
})

test('a call that was under way when the connection ended begins nothing', async () => {
  const { chain, subscriptions, subscribe } = start()
  subscriptions.close()
  await expect(subscribe()).rejects.toThrow('the connection is closed')
  expect(chain.listenerCount()).toBe(0)
})

test('a subscription takes one of the places of its tenant, until it ends', async () => {
  const { subscriptions, subscribe, places } = start()
  const id = await subscribe()
  await expect(subscribe()).rejects.toMatchObject({ code: 'tenant_limit' })
  await subscriptions.begin().methods.get('eth_unsubscribe')?.([id], LOCAL_CALLER)
  expect(places.used()).toBe(0)
  await subscribe()
  subscriptions.close()
  expect(places.used()).toBe(0)
})
