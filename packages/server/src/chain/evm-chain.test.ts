import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../testing/engine/manual-clock.ts'
import { createRecordingTelemetry } from '../testing/telemetry/recording-telemetry.ts'
import { createEvmChain } from './evm-chain.ts'
import type { HttpReply } from './rpc/http-post.ts'

interface RpcCall {
  readonly id: number
  readonly method: string
}

const answered = (status: number, body: string): HttpReply => ({ type: 'answered', status, body, retryAfterMs: null })

test('a node with a known rate limit that hangs tells no height: what it said before is no answer', async () => {
  const clock = createManualClock()
  let mode: 'answers' | 'refuses' | 'hangs' = 'answers'
  const chain = createEvmChain({
    chainId: 1,
    urls: ['http://one.example'],
    clock,
    telemetry: createRecordingTelemetry(),
    openPost: () => ({
      async post(body) {
        if (mode === 'hangs') return await new Promise<HttpReply>(() => {})
        if (mode === 'refuses') return answered(429, '')
        const parsed = JSON.parse(body) as RpcCall | readonly RpcCall[]
        const calls: readonly RpcCall[] = [parsed].flat()
        const replies = calls.map(({ id, method }) => ({ id, result: method === 'eth_chainId' ? '0x1' : '0x64' }))
        return answered(200, JSON.stringify(Array.isArray(parsed) ? replies : replies[0]))
      },
      connections: () => 1,
      close() {},
    }),
  })
  onTestFinished(() => chain.close())
  // It refuses for its rate, again and again, until little is left of it.
  for (let round = 0; round < 8; round++) {
    mode = round % 2 === 0 ? 'refuses' : 'answers'
    chain.getBalance(`0x${'0'.repeat(40)}`).catch(() => {})
    await clock.advance(mode === 'refuses' ? 500 : 8_000)
  }
  expect(chain.endpoints()[0]?.callsPerSecond).toBeLessThan(10)
  expect(await chain.getHeight()).toBe(100)
  mode = 'hangs'
  const heard: number[] = []
  for (let second = 0; second < 5; second++) {
    chain.getHeight().then(
      (height) => heard.push(height),
      () => {},
    )
    await clock.advance(1_000)
  }
  expect(heard).toEqual([])
})
