import { describe, expect, test } from 'vitest'
import { LANE_PROBLEMS, type LaneProblem } from '../lane/lane-problem.ts'
import { describeLaneProblems, type TroubledLane } from './describe-problem.ts'
import { laneStep, SILENT_NODE_STEP } from './next-steps.ts'

const AT = Date.parse('2030-01-01T03:00:00Z')
const TX = '0192f1c2-7d1e-7c11-9a3e-5b1f0c9a77d1'
const SIGNER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

const LANE: TroubledLane = {
  lane: { chainId: 1, signer: SIGNER },
  signer: '0xf39F…2266',
  problems: [],
  balance: null,
  txCost: null,
  lowestReserved: null,
  waiting: 0,
  createdAt: AT,
  lease: { nodeId: 'node-a', expiresAt: AT, live: true },
}

function problem(over: Partial<LaneProblem>): LaneProblem {
  return { code: 'stuck', since: AT, txId: null, nonce: null, count: null, detail: null, ...over }
}

test('no problem, no text', () => {
  expect(describeLaneProblems(LANE, [{ nodeId: 'node-b', address: null, heartbeatAt: AT }])).toEqual([])
  expect(describeLaneProblems({ ...LANE, lease: null }, [])).toEqual([])
})

test('out of funds: what is missing, what is there, and where to send it', () => {
  const funds = { balance: { wei: 10n ** 15n }, txCost: { wei: 3n * 10n ** 15n, samples: 4 } }
  const problems = [problem({ code: 'out_of_funds', txId: TX, detail: 'it may cost 0.003 ETH' })]
  expect(describeLaneProblems({ ...LANE, ...funds, problems }, [])).toEqual([
    {
      code: 'out_of_funds',
      level: 'bad',
      since: AT,
      txId: TX,
      reservationId: null,
      message: 'Out of funds: it may cost 0.003 ETH. Balance: 0.001 ETH, enough for 0 transactions.',
      action: `Send funds to 0xf39F…2266 on chain 1; Drover continues with the next block. Or cancel the transaction that waits: \`drover tx cancel ${TX} --reason "…"\`.`,
    },
  ])
})

test('a foreign nonce: its transaction is in the command', () => {
  const [shown] = describeLaneProblems(
    { ...LANE, problems: [problem({ code: 'foreign_nonce', nonce: 7, count: 3, txId: TX })] },
    [],
  )
  expect(shown?.message).toBe(
    'Nonce 7 was used by a transaction that Drover did not sign. 2 more transactions of this signer are also stuck.',
  )
  expect(shown?.action).toContain(`drover tx requeue ${TX} `)
})

test.each([
  [null, 'Nonce 7 is stuck: refused.'],
  [1, 'Nonce 7 is stuck: refused.'],
  [2, 'Nonce 7 is stuck: refused. 1 more transaction of this signer is also stuck.'],
  [3, 'Nonce 7 is stuck: refused. 2 more transactions of this signer are also stuck.'],
])('%s stuck: how many more', (count, message) => {
  const problems = [problem({ nonce: 7, count, detail: 'refused' })]
  expect(describeLaneProblems({ ...LANE, problems }, [])[0]?.message).toBe(message)
})

test('a reservation is named where it is still the one', () => {
  const lowestReserved = { reservationId: 'r-1', nonce: 4, lockedUntil: AT + 60_000, isUsed: false }
  const problems = [problem({ code: 'blocked_by_reservation', nonce: 4 })]
  const [shown] = describeLaneProblems({ ...LANE, lowestReserved, problems }, [])
  expect(shown).toMatchObject({ reservationId: 'r-1', message: expect.stringContaining('(reservation r-1)') })
})

test('a reservation that its holder has used is not locked until a time: that time may be long past', () => {
  const lowestReserved = { reservationId: 'r-1', nonce: 4, lockedUntil: AT - 60_000, isUsed: true }
  const problems = [problem({ code: 'blocked_by_reservation', nonce: 4 })]
  const message = describeLaneProblems({ ...LANE, lowestReserved, problems }, [])[0]?.message
  expect(message).toContain('Its holder reports that a transaction was sent with it')
  expect(message).not.toContain('locked until')
})

describe('a node that does not report', () => {
  const silent = [{ nodeId: 'node-a', address: 'vm:24102', heartbeatAt: AT - 9_000 }]
  const expired = { nodeId: 'node-a', expiresAt: AT, live: false }
  const say = (lane: Partial<TroubledLane>) => describeLaneProblems({ ...LANE, waiting: 2, ...lane }, silent)[0]

  test('is named by its machine first, while its lease lasts and after that, with the same advice', () => {
    expect(say({})).toMatchObject({
      code: 'owner_silent',
      level: 'bad',
      message: expect.stringContaining('Node vm:24102 (node-a), which runs this signer, has not reported since'),
      action: SILENT_NODE_STEP,
    })
    expect(say({ waiting: 1, lease: expired })).toMatchObject({
      code: 'no_owner',
      message:
        'No node is running this signer. Node vm:24102 (node-a) ran it until its lease ended at 2030-01-01T03:00:00.000Z, and has not reported since 2030-01-01T02:59:51.000Z. 1 transaction is waiting.',
      action: SILENT_NODE_STEP,
    })
  })

  test('is followed by another one only if that has the key', () => {
    expect(say({ isKeyHere: true })?.message).toContain('then a node that has the key takes over')
    expect(say({ isKeyHere: false })?.message).toContain(
      'This node does not have the key: if no other node has it, nobody takes over.',
    )
  })

  test('is forgotten after some time, and then any node with the key will do', () => {
    const [gone] = describeLaneProblems({ ...LANE, waiting: 1, lease: expired }, [])
    expect(gone).toMatchObject({ code: 'no_owner', action: expect.stringContaining('that has the key of') })
  })
})

test('the worst comes first', () => {
  const problems = [problem({ code: 'balance_low' }), problem({ code: 'fee_above_cap' }), problem({ code: 'stuck' })]
  const codes = describeLaneProblems({ ...LANE, problems }, []).map(({ code }) => code)
  expect(codes).toEqual(['stuck', 'fee_above_cap', 'balance_low'])
})

test('a signer without funds has one problem, not a low balance too', () => {
  const problems = [problem({ code: 'balance_low' }), problem({ code: 'out_of_funds' })]
  const codes = describeLaneProblems({ ...LANE, problems }, []).map(({ code }) => code)
  expect(codes).toEqual(['out_of_funds'])
})

test('for everything that can be wrong there is something to do', () => {
  for (const code of LANE_PROBLEMS) expect(laneStep(code, { signer: SIGNER, chainId: 1 })).toMatch(/^[A-Z].{20,}\.$/)
})
