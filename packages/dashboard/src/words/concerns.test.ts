import { expect, test } from 'vitest'
import type { LaneResource } from '../api/api-resources.ts'
import { findApprovalConcerns, findConcerns, findWebhookConcerns, nameLink } from './concerns.ts'
import { LANE } from './sample-resources.suite.ts'

const READY = { ready: true, problems: [] }

test('nothing is shown if all is well, also for an idle signer without an owner', () => {
  expect(findConcerns(READY, [LANE, { ...LANE, inFlight: 5 }, { ...LANE, lease: null }])).toEqual([])
})

function problem(over: Partial<LaneResource['problems'][number]>): LaneResource['problems'][number] {
  return {
    code: 'stuck',
    level: 'bad',
    message: 'Nonce 4 is stuck.',
    action: 'Look.',
    runbook: 'docs/runbook.md#stuck',
    since: LANE.createdAt,
    transactionId: null,
    reservationId: null,
    ...over,
  }
}

test('a problem of a signer links to its transaction, and says what to do', () => {
  const transactionId = '0192f1c2-7d1e-7c11-9a3e-5b1f0c9a77d1'
  const [concern] = findConcerns(READY, [{ ...LANE, label: 'payouts', problems: [problem({ transactionId })] }])
  expect(concern).toEqual({
    id: `${LANE.chainId} ${LANE.address} stuck`,
    level: 'bad',
    text: 'payouts: Nonce 4 is stuck.',
    action: 'Look.',
    runbook: 'docs/runbook.md#stuck',
    href: `#/tx/${transactionId}`,
    remedy: { type: 'transaction', transactionId },
  })
})

test('and to the signer if there is no transaction', () => {
  const low = problem({
    code: 'balance_low',
    level: 'warn',
    message: 'The balance is low.',
    action: 'Pay in.',
    runbook: 'docs/runbook.md#balance-low',
  })
  const lane = { ...LANE, problems: [low] }
  expect(findConcerns(READY, [lane])).toEqual([
    {
      id: `${LANE.chainId} ${LANE.address} balance_low`,
      level: 'warn',
      text: '0xf39F…2266: The balance is low.',
      action: 'Pay in.',
      runbook: 'docs/runbook.md#balance-low',
      href: `#/signer/${LANE.address}`,
      remedy: { type: 'top_up', lane },
    },
  ])
})

test.each([
  ['foreign_nonce', 'transaction'],
  ['stuck', 'transaction'],
  ['out_of_funds', 'top_up'],
  ['fee_above_cap', 'fee_limit'],
  ['blocked_by_reservation', 'release'],
  ['key_unavailable', undefined],
  ['no_owner', undefined],
] as const)('what puts %s right by a click: %s', (code, type) => {
  const [concern] = findConcerns(READY, [{ ...LANE, problems: [problem({ code, transactionId: 'tx' })] }])
  expect(concern?.remedy?.type).toBe(type)
})

test('a concern keeps its id while its words change, so that a form below it stays', () => {
  const idWith = (message: string) => findConcerns(READY, [{ ...LANE, problems: [problem({ message })] }])[0]?.id
  expect(idWith('The next block asks 7 gwei.')).toBe(idWith('The next block asks 8 gwei.'))
})

test('a dead node is one concern, with the signers that wait for it', () => {
  const part = 'node vm:24102 (id-1)'
  const problems = [{ part, message: 'has not reported since 03:00', action: 'Start it.', runbook: null }]
  const lease = { node: 'id-1', fence: 1, expiresAt: LANE.createdAt, live: false }
  const lanes = ['a', 'b'].map((label) => ({ ...LANE, label, lease, problems: [problem({ code: 'no_owner' })] }))
  const others = { ...LANE, label: 'c', lease: { ...lease, node: 'id-2' }, problems: [problem({ code: 'no_owner' })] }
  const textsOf = (...shown: LaneResource[]) =>
    findConcerns({ ready: true, problems }, shown).map(({ text, action }) => `${text} ${action}`)
  expect(textsOf(...lanes)).toEqual([
    'Node vm:24102 (id-1): has not reported since 03:00. 2 signers are affected: a, b. Start it.',
  ])
  expect(textsOf(...lanes.slice(0, 1))).toEqual([
    'Node vm:24102 (id-1): has not reported since 03:00. 1 signer is affected: a. Start it.',
  ])
  expect(textsOf(others)).toEqual([
    'Node vm:24102 (id-1): has not reported since 03:00 Start it.',
    'c: Nonce 4 is stuck. Look.',
  ])
})

test('a dead node with many signers names five of them', () => {
  const problems = [{ part: 'node vm (id-1)', message: 'is silent', action: 'Start it.', runbook: null }]
  const lease = { node: 'id-1', fence: 1, expiresAt: LANE.createdAt, live: false }
  const lanes = [...'abcdefg'].map((label) => ({ ...LANE, label, lease, problems: [problem({ code: 'no_owner' })] }))
  const textOf = (count: number) => findConcerns({ ready: true, problems }, lanes.slice(0, count))[0]?.text
  expect(textOf(5)).toBe('Node vm (id-1): is silent. 5 signers are affected: a, b, c, d, e.')
  expect(textOf(7)).toBe('Node vm (id-1): is silent. 7 signers are affected: a, b, c, d, e and 2 more.')
})

test('the link of a concern says what it shows', () => {
  const [one] = findApprovalConcerns([{ id: 'a' }], 20)
  const [many] = findApprovalConcerns([{ id: 'a' }, { id: 'b' }], 20)
  expect([one, many].map((concern) => nameLink(concern?.href ?? ''))).toEqual(['Show transaction', 'Show transactions'])
  const [low] = findConcerns(READY, [{ ...LANE, problems: [problem({})] }])
  expect(nameLink(low?.href ?? '')).toBe('Show signer')
  expect(nameLink('#/')).toBe('Details')
})

test('a signer in /readyz is not listed twice', () => {
  const problems = [
    { part: 'signer 0xf39F…2266 on chain 1', message: 'Out of funds.', action: 'Pay in.', runbook: null },
  ]
  expect(findConcerns({ ready: true, problems }, [LANE])).toEqual([])
})

test('the worst comes first', () => {
  const problems = [{ part: 'schema', message: 'is old', action: 'Migrate.', runbook: 'docs/runbook.md#schema' }]
  const unready = { ready: false, problems }
  const concerns = findConcerns(unready, [
    { ...LANE, paused: true },
    { ...LANE, problems: [problem({})] },
  ])
  expect(concerns.map(({ level }) => level)).toEqual(['bad', 'bad', 'warn'])
  expect(concerns[0]).toMatchObject({ text: 'Schema: is old', runbook: 'docs/runbook.md#schema' })
})

test('an RPC endpoint with a problem is listed, with the reason', () => {
  const endpoint = {
    roles: ['read' as const, 'send' as const],
    retryAt: null,
    name: 'a.example',
    since: LANE.createdAt,
    inUse: false,
    head: null,
    lagBlocks: 12,
    errorRate: 0,
    latencyMs: 5,
    callsPerSecond: null,
    lastError: { message: 'HTTP 429', at: LANE.createdAt },
  }
  const chain = {
    chainId: 1,
    head: null,
    safe: null,
    finalized: null,
    finality: 12,
    following: true,
    lastError: null,
    health: { state: 'ok', since: null, message: null } as const,
    endpoints: (['healthy', 'lagging', 'rate_limited'] as const).map((state) => ({ ...endpoint, state })),
  }
  expect(findConcerns(READY, [], [chain]).map(({ text }) => text)).toEqual([
    'RPC endpoint a.example: lagging, 12 blocks behind',
    'RPC endpoint a.example: rate limited, HTTP 429',
  ])
  const endpointsOf = (...states: readonly (typeof chain.endpoints)[number]['state'][]) =>
    findConcerns(READY, [], [{ ...chain, endpoints: states.map((state) => ({ ...endpoint, state })) }])[0]?.action
  expect(endpointsOf('rate_limited', 'healthy')).toMatch(/^Drover uses the other endpoints\./)
  expect(endpointsOf('rate_limited')).toBe(
    'It is the only endpoint of this chain. Check the node, or add a second URL to `rpcUrl`.',
  )
  expect(endpointsOf('rate_limited', 'lagging')).toMatch(/^No endpoint of this chain is healthy\./)
  const entryOf = (change: Partial<(typeof chain.endpoints)[number]> | object) =>
    findConcerns(READY, [], [{ ...chain, endpoints: [{ ...endpoint, state: 'failing', ...change }] }])[0]?.runbook
  expect(entryOf({})).toBe('docs/runbook.md#rpc-endpoint')
  expect(entryOf({ state: 'wrong_chain' })).toBe('docs/runbook.md#rpc-wrong-chain')
  // Nothing else may get what goes there: others do not take its place.
  expect(entryOf({ roles: ['private'] })).toBe('docs/runbook.md#send-endpoint-away')
})

test.each([
  [-1, 'the chain is 1 nonce ahead: something else uses this key', 'Find out what else'],
  [3, '3 nonces below the next one are neither used nor reserved', 'drover signer fill-gap'],
])('a nonce cursor that does not match the chain (%i) is listed', (drift, words, step) => {
  const chain = { latest: 7, pending: 7, drift, at: LANE.createdAt }
  const lane = { ...LANE, label: 'payouts', free: 1, chain }
  expect(findConcerns(READY, [lane])).toEqual([
    {
      id: `${LANE.chainId} ${LANE.address} drift`,
      level: 'warn',
      text: `payouts: ${words}`,
      action: expect.stringContaining(step),
      runbook: 'docs/runbook.md#nonce-drift',
      href: `#/signer/${LANE.address}`,
      remedy: drift > 0 ? { type: 'fill_gap', lane } : null,
    },
  ])
  expect(findConcerns(READY, [{ ...LANE, chain: { ...chain, drift: 0 } }])).toEqual([])
})

test('a webhook that Drover turned off or that fails needs a person; one that an operator turned off does not', () => {
  const webhook = {
    id: '0192f1c2-7d1e-7c11-9a3e-5b1f0c9a77d1',
    url: 'https://receiver.example',
    description: null,
    types: null,
    chainId: null,
    from: null,
    completions: false,
    enabled: true,
    disabled: null,
    failingSince: null,
    plannedTo: 1,
    previousSecretUntil: null,
    createdAt: LANE.createdAt,
    createdBy: 'ops',
  }
  const off = (reason: 'operator' | 'gone' | 'failing') => ({
    ...webhook,
    enabled: false,
    disabled: { reason, at: LANE.createdAt },
  })
  expect(findWebhookConcerns([webhook, off('operator')])).toEqual([])
  const concerns = findWebhookConcerns([off('gone'), off('failing'), { ...webhook, failingSince: LANE.createdAt }])
  expect(concerns.map(({ level }) => level)).toEqual(['bad', 'bad', 'warn'])
  expect(concerns[0]?.href).toBe(`#/webhook/${webhook.id}`)
  expect(concerns.map(({ remedy }) => remedy?.type)).toEqual(['turn_on', 'turn_on', undefined])
})

test('what waits for approval needs a person: one is opened, several are listed', () => {
  const waiting = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `tx-${index}` }))
  expect(findApprovalConcerns([], 3)).toEqual([])
  expect(findApprovalConcerns(waiting(1), 3)).toMatchObject([
    { text: 'A transaction waits for approval', href: '#/tx/tx-0' },
  ])
  expect(findApprovalConcerns(waiting(2), 3)).toMatchObject([
    { text: '2 transactions wait for approval', href: '#/transactions?state=approval' },
  ])
  expect(findApprovalConcerns(waiting(3), 3)).toMatchObject([{ text: '3 or more transactions wait for approval' }])
})
