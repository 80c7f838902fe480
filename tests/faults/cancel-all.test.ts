/** `cancel all, then reset` as one order: it survives the end of the process that took it, and says how far it has come. */
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../setup/eventually.ts'
import { type SingleNode, startSingleNode } from './single-node.ts'

const COUNT = 5

let node: SingleNode

afterEach(() => node.close())

test('cancel all survives a restart; then the cursor matches the chain and the queue continues', async () => {
  node = await startSingleNode({ preset: 'fast' })
  const ids = await node.sendTogether(COUNT)
  for (const id of ids) await node.until(id, ({ state }) => state === 'TRACKING')
  const path = `/v1/signers/${node.sender.address}`
  const ordered = await node.drover().post(`${path}/reset-nonce`, { reason: 'stuck lane', cancelInFlight: true })
  expect(ordered).toMatchObject({
    status: 202,
    body: { state: 'CANCELLING', cancelsInFlight: true, progress: { total: COUNT, cancelled: 0, left: COUNT } },
  })
  const orderPath = `${path}/resets/${ordered.body.id}`
  const later = await node.send()

  // Whoever runs the lane next goes on with it.
  await node.stopService('SIGKILL')
  await node.start()
  for (const id of ids) {
    await eventually(
      () => node.history(id),
      (history) => history.some(({ type, cause }) => type === 'attempt.added' && cause === 'cancel'),
    )
  }
  expect((await node.drover().get(orderPath)).body).toMatchObject({ state: 'CANCELLING', progress: { left: COUNT } })
  expect(await node.read(later)).toMatchObject({ state: 'QUEUED', nonce: null })
  // Until the lease of the dead process has run out, that is what it waits for.
  const explained = await eventually(
    async () => (await node.drover().get(`/v1/transactions/${later}/explain`)).body,
    ({ cause }) => cause !== 'no_owner',
  )
  expect(explained).toMatchObject({
    cause: 'lane_cancelling',
    summary: expect.stringContaining(ordered.body.id),
  })

  await node.mineUntil(ids, 'CANCELLED')
  const done = await eventually(
    async () => (await node.drover().get(orderPath)).body,
    ({ state }: { state: string }) => state === 'DONE',
  )
  expect(done).toMatchObject({
    fromNonce: COUNT,
    toNonce: COUNT,
    reason: 'stuck lane',
    progress: { total: COUNT, cancelled: COUNT, endedOtherwise: 0, left: 0 },
  })
  expect((await node.history(ids[0] ?? '')).find(({ type }) => type === 'operator.cancelled')).toMatchObject({
    detail: { reason: 'stuck lane' },
  })
  const { body: audit } = await node.drover().get('/v1/audit')
  expect(audit.items.some(({ operation }: { operation: string }) => operation === 'resetNonce')).toBe(true)
  await node.mineUntil([later], 'CONFIRMED')
  expect((await node.read(later)).nonce).toBe(COUNT)
  expect((await node.drover().get(path)).body.resets[0]).toMatchObject({ id: ordered.body.id, state: 'DONE' })
})
