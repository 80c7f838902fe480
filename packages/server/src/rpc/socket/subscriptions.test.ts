import { expect, test } from 'vitest'
import { LOCAL_CALLER } from '../../core/access/caller.ts'
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
  const sources = { heads, forwarder, clock, pending: { listen: () => () => {} } }
  const subscriptions = createSubscriptions(sources, { send: () => {}, fail: () => {} })
  const subscribe = async (): Promise<unknown> =>
    subscriptions.begin().methods.get('eth_subscribe')?.(['newHeads'], LOCAL_CALLER)
  return { chain, subscriptions, subscribe }
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
