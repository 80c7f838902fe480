/** One transaction all the way through the real process, over HTTP, on a real chain and database. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount, type TestChain } from '../setup/anvil.ts'
import { revertingCode } from '../setup/contracts.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { startService } from '../setup/service.ts'

const sender = developmentAccount(0)
const recipient = developmentAccount(9).address

describe('a posted intent', () => {
  let chain: TestChain
  let drover: DroverProcess
  let stop: () => Promise<void>

  beforeAll(async () => {
    ;({ chain, drover, stop } = await startService({ env: { DROVER_FINALITY: '2' } }))
  })

  afterAll(() => stop?.())

  const read = async (id: string) => (await drover.get(`/v1/transactions/${id}`)).body
  const countAll = async () => (await drover.get('/v1/transactions?limit=200')).body.items.length

  test('reaches CONFIRMED with the same receipt as on chain', async () => {
    const answer = await drover.post('/v1/transactions', {
      from: sender.address,
      to: recipient,
      value: '7',
      requestId: 'first',
    })
    expect(answer.status).toBe(202)
    const { id } = answer.body
    await eventually(
      () => read(id),
      (tx) => tx.state === 'TRACKING',
    )
    await chain.mine(1)
    const mined = await eventually(
      () => read(id),
      (tx) => tx.inclusion !== null,
    )
    expect(mined).toMatchObject({ state: 'TRACKING', subState: 'mined', nonce: 0 })
    await chain.mine(2)
    const final = await eventually(
      () => read(id),
      (tx) => tx.state === 'CONFIRMED',
    )
    const receipt = await chain.rpc<{ blockHash: string; status: string }>('eth_getTransactionReceipt', [final.hash])
    expect(receipt).toMatchObject({ blockHash: final.inclusion.blockHash, status: '0x1' })
    expect(final.hashes).toEqual([final.hash])
    const history = await drover.get(`/v1/transactions/${id}/history`)
    expect(history.body.items.map((entry: { type: string }) => entry.type)).toEqual([
      'accepted',
      'nonce.allocated',
      'broadcast.answered',
      'inclusion.seen',
      'finality.reached',
    ])
  })

  test('sent again with the same key and body: 200 and the same id; with another body: 409', async () => {
    const body = { from: sender.address, to: recipient, value: '8' }
    const key = { 'idempotency-key': 'second' }
    const first = await drover.post('/v1/transactions', body, key)
    const again = await drover.post('/v1/transactions', body, key)
    const other = await drover.post('/v1/transactions', { ...body, value: '9' }, key)
    expect([first.status, again.status, other.status]).toEqual([202, 200, 409])
    expect(again.body.id).toBe(first.body.id)
    expect(other.body).toMatchObject({ code: 'idempotency_conflict', transactionId: first.body.id })
    expect(other.headers.get('content-type')).toContain('application/problem+json')
  })

  test('that is malformed is refused with 400 naming the field, and nothing is stored', async () => {
    const before = await countAll()
    const cases: readonly [unknown, string][] = [
      [{ from: 'me', to: recipient }, 'from'],
      [{ from: sender.address, to: recipient, value: '-1' }, 'value'],
      [{ from: sender.address, to: recipient, value: 1.5 }, 'value'],
      [{ from: sender.address, to: recipient, surprise: true }, 'surprise'],
      [
        {
          from: sender.address,
          to: recipient,
          call: { function: 'transfer(address,uint256)', args: [recipient, 'x'] },
        },
        'call.args[1]',
      ],
    ]
    for (const [body, field] of cases) {
      const answer = await drover.post('/v1/transactions', body)
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ code: 'invalid_request', field })
    }
    expect(await countAll()).toBe(before)
  })

  test('that must revert is refused with 422 and the decoded reason, and takes no nonce', async () => {
    const target = '0x00000000000000000000000000000000000c0de1'
    await chain.rpc('anvil_setCode', [target, revertingCode('not today')])
    const before = await countAll()
    const signer = async () => (await drover.get(`/v1/signers/${sender.address}`)).body.lanes[0]
    const { nextNonce } = await signer()
    const answer = await drover.post('/v1/transactions', { from: sender.address, to: target, data: '0x12345678' })
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ code: 'transaction_rejected', reason: 'not today' })
    expect(await countAll()).toBe(before)
    expect((await signer()).nextNonce).toBe(nextNonce)
  })

  test('that reverts on chain ends as FAILED_FINAL with its nonce used', async () => {
    const target = '0x00000000000000000000000000000000000c0de2'
    await chain.rpc('anvil_setCode', [target, revertingCode('too late')])
    const answer = await drover.post('/v1/transactions', {
      from: sender.address,
      to: target,
      data: '0x12345678',
      simulate: false,
      gasLimit: '60000',
    })
    expect(answer.status).toBe(202)
    const final = await eventually(
      async () => {
        await chain.mine(1)
        return read(answer.body.id)
      },
      (tx) => tx.state === 'FAILED_FINAL',
    )
    expect(final.receipt.status).toBe('reverted')
    // It is mined and final, but it did not succeed.
    for (const [stage, outcome] of [
      ['mined', 'reached'],
      ['confirmed', 'ended'],
    ]) {
      const waited = await drover.get(`/v1/transactions/${answer.body.id}?wait=${stage}`)
      expect([stage, waited.headers.get('drover-wait')]).toEqual([stage, outcome])
    }
    expect(await chain.rpc('eth_getTransactionCount', [sender.address, 'latest'])).toBe(
      `0x${(final.nonce + 1).toString(16)}`,
    )
  })
})
