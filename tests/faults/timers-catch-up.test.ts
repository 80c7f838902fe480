/** The service is away for 2,000 blocks: then every one of them is given to the kernel, in order, and nothing is skipped. */

import pg from 'pg'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { COUNTER } from '../setup/contracts.ts'
import { eventually } from '../setup/eventually.ts'
import { startService, type TestService } from '../setup/service.ts'

const sender = developmentAccount(0)
const other = developmentAccount(1)
const TARGET = `0x${'c0'.repeat(20)}` as const
const WATCHED = `0x${'c1'.repeat(20)}` as const
const MISSED = 2_000
const EVERY = 100

let service: TestService
let client: pg.Client

beforeAll(async () => {
  service = await startService({
    env: {
      DROVER_FINALITY: '2',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_LEASE_DURATION: '2s',
      DROVER_LEASE_RENEW_INTERVAL: '500ms',
    },
  })
  client = new pg.Client({ connectionString: service.database.url })
  await client.connect()
  const runtime = `0x${COUNTER.bytecode.slice(2 + 2 * 11)}`
  for (const at of [TARGET, WATCHED]) await service.chain.setCode(at, runtime)
  await service.chain.mine(3)
})
afterAll(async () => {
  await client?.end()
  await service?.stop()
})

test('2,000 missed blocks are processed in order, none skipped', async () => {
  const { chain, drover } = service
  const create = async (schedule: object) => {
    const call = { function: 'increase(uint256)', args: ['1'] }
    const body = { from: sender.address, to: TARGET, call, gasLimit: '100000', schedule }
    const answer = await drover.post('/v1/timers', body)
    expect(answer).toMatchObject({ status: 201 })
    return answer.body as { id: string; createdHeight: number }
  }
  const ticking = await create({ type: 'interval', blocks: EVERY })
  const reacting = await create({ type: 'watch', contract: WATCHED })
  await drover.end('SIGKILL')
  await chain.rpc('anvil_impersonateAccount', [other.address])
  const data = encodeFunctionData({ abi: parseAbi(COUNTER.abi), functionName: 'increase', args: [1n] })
  const events: number[] = []
  for (let left = MISSED; left > 0; left -= 400) {
    await chain.mine(399)
    await chain.rpc('eth_sendTransaction', [{ from: other.address, to: WATCHED, data }])
    await chain.mine(1)
    events.push(await chain.blockNumber())
  }
  const head = await chain.blockNumber()
  expect(head - ticking.createdHeight).toBeGreaterThanOrEqual(MISSED)
  const startedAt = Date.now()
  const peer = await service.startPeer()
  try {
    await eventually(
      async () => {
        const answer = await peer.get('/v1/timers/queue')
        return answer.status === 200 ? (answer.body.height as number) : 0
      },
      (height) => height > head,
    )
    console.log(`${MISSED} blocks after a start: ${Date.now() - startedAt} ms, start and takeover included`)
    const heightsOf = async (id: string) =>
      ((await peer.get(`/v1/timers/${id}/fires?limit=200`)).body.items as { height: number }[])
        .map(({ height }) => height)
        .reverse()
    const ticks = Array.from({ length: MISSED / EVERY }, (_, index) => ticking.createdHeight + EVERY * (index + 1))
    expect(await heightsOf(ticking.id)).toEqual(ticks)
    expect(await heightsOf(reacting.id)).toEqual(events)
    // What is not in the snapshot is in the log, without a gap.
    const { rows } = await client.query(
      `select count(*)::int as n, min(height)::int as low, max(height)::int as high,
              (select snapshot_height::int from timer_chain) as snapshot from timer_block`,
    )
    const { n, low, high, snapshot } = rows[0]
    expect([high, n]).toEqual([head, high - low + 1])
    expect(low).toBe(snapshot + 1)
  } finally {
    await peer.end('SIGKILL')
  }
})
