/** Spending rules on a real service: refused at acceptance and before signing, over every way in, and all in the audit. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import type { DroverProcess } from '../setup/drover-process.ts'
import { eventually } from '../setup/eventually.ts'
import { createFirstKey } from '../setup/first-key.ts'
import { startService, type TestService } from '../setup/service.ts'

const [alice, bob, carol] = [developmentAccount(0), developmentAccount(1), developmentAccount(2)]
const PAYEE = `0x${'c1'.repeat(20)}`
const TOKEN = `0x${'c2'.repeat(20)}`
const WEI = 10n ** 12n
const CHAIN_ID = 31_337

interface Key {
  readonly id: string
  readonly headers: { readonly authorization: string }
}

let service: TestService
let drover: DroverProcess
let root: Key
let shop: Key
const keys = new Map<string, Key>()

beforeAll(async () => {
  let first = { id: '', token: '' }
  service = await startService({
    signers: [alice, bob, carol],
    prepare: async ({ url }) => {
      first = await createFirstKey(url, { name: 'root', scopes: ['read', 'send', 'operate', 'admin', 'approve'] })
    },
    env: {
      DROVER_FINALITY: '1',
      DROVER_SIGNER_POLICY: 'fast',
      DROVER_LEASE_DURATION: '3s',
      DROVER_LEASE_RENEW_INTERVAL: '500ms',
    },
  })
  drover = service.drover
  root = toKey(first)
  shop = await makeKey('shop', ['read', 'send'])
  await service.chain.mine(2)
})

afterAll(async () => {
  await service?.stop()
})

function toKey({ id, token }: { readonly id: string; readonly token: string }): Key {
  return { id, headers: { authorization: `Bearer ${token}` } }
}

async function makeKey(name: string, scopes: readonly string[]): Promise<Key> {
  const made = await drover.post('/v1/api-keys', { name, scopes }, { ...root.headers })
  expect(made.status).toBe(201)
  const key = toKey(made.body)
  keys.set(name, key)
  return key
}

const call = (method: string, path: string, body?: unknown, key = root) =>
  drover.request(method, path, body, { ...key.headers })
const rulesOf = (address: string) => `/v1/signers/${address}/rules`

async function setRules(path: string, rules: object): Promise<void> {
  expect(await call('PUT', path, rules)).toMatchObject({ status: 200 })
}

const clearRules = async (path: string) => void (await call('DELETE', path))
const show = async (id: string) => (await call('GET', `/v1/transactions/${id}`)).body

async function audit(): Promise<readonly { operation: string; target: string; result: string; actor: string }[]> {
  return (await call('GET', '/v1/audit?limit=200')).body.items
}

/** Blocks until it has come true. */
async function mineUntil(id: string, isThere: (tx: { state: string; subState: string }) => boolean) {
  return await eventually(async () => {
    await service.chain.mine(1)
    return await show(id)
  }, isThere)
}

const isConfirmed = ({ state }: { state: string }) => state === 'CONFIRMED'
const isHeld = ({ subState }: { subState: string }) => subState === 'held_by_rule'

async function sendRpc(tx: object, key = root) {
  const body = { jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params: [tx] }
  return (await drover.post('/rpc', body, { ...key.headers })).body
}

const hex = (value: bigint) => `0x${value.toString(16)}`
const word = (value: bigint | string) => BigInt(value).toString(16).padStart(64, '0')
const transfer = (amount: bigint) => `0xa9059cbb${word(PAYEE)}${word(amount)}`
const plain = { to: PAYEE, value: WEI.toString() }

type Kind = readonly [rule: string, rules: object, tx: { to?: string; value?: string; data?: string }]

const KINDS: readonly Kind[] = [
  ['chains', { chains: [1] }, plain],
  ['targets', { targets: [{ to: TOKEN }] }, plain],
  ['targets', { targets: [{ to: PAYEE, selectors: ['0x12345678'] }] }, { to: PAYEE, data: '0x87654321' }],
  ['contractCreation', { contractCreation: false }, { data: '0x00' }],
  ['value.perTransaction', { value: { perTransaction: (WEI - 1n).toString() } }, plain],
  ['value.perHour', { value: { perHour: (WEI - 1n).toString() } }, plain],
  ['value.perDay', { value: { perDay: (WEI - 1n).toString() } }, plain],
  ['gas.perTransaction', { gas: { perTransaction: '1' } }, plain],
  ['gas.perHour', { gas: { perHour: '1' } }, plain],
  ['gas.perDay', { gas: { perDay: '1' } }, plain],
  [`tokens.${TOKEN}.perDay`, { tokens: [{ token: TOKEN, perDay: '9' }] }, { to: TOKEN, data: transfer(10n) }],
  ['count.perHour', { count: { perHour: 0 } }, plain],
]

describe('at acceptance', () => {
  test.each(KINDS)('%s (%j) is refused over HTTP, in a batch and over JSON-RPC', async (rule, rules, tx) => {
    await setRules(rulesOf(alice.address), rules)
    const intent = { from: alice.address, ...tx }
    const refused = { status: 403, code: 'refused_by_rule', rule, subject: `signer:${alice.address.toLowerCase()}` }
    const one = await call('POST', '/v1/transactions', intent)
    expect(one.body).toMatchObject(refused)
    const free = { from: bob.address, ...tx }
    const batch = await call('POST', '/v1/transactions/batch', { transactions: [intent, free] })
    expect(batch.body.results).toMatchObject([{ status: 403, problem: refused }, { status: 202 }])
    const { value, ...rest } = intent
    const params = { ...rest, ...(value !== undefined && { value: hex(BigInt(value)) }) }
    expect(await sendRpc(params)).toMatchObject({ error: { code: -32000, data: { code: 'refused_by_rule', rule } } })
    const list = await call('GET', `/v1/transactions?from=${alice.address}`)
    expect(list.body.items).toEqual([])
    await clearRules(rulesOf(alice.address))
  })

  test('all of it is in the audit: who set which rule, and what was refused', async () => {
    const entries = await audit()
    const refusals = entries.filter(({ result }) => result === 'refused_by_rule')
    for (const [rule] of KINDS) expect(refusals.map(({ target }) => target).join('\n')).toContain(rule)
    const sets = entries.filter(({ operation }) => operation === 'setSignerRules')
    expect(sets.map(({ target }) => target).join('\n')).toContain(`value.perDay: none → ${WEI - 1n}`)
  })

  test('the rules of an API key bind only that key, and it can neither change them nor make a key without', async () => {
    const path = `/v1/api-keys/${shop.id}/rules`
    await setRules(path, { targets: [{ to: TOKEN }] })
    const intent = { from: carol.address, ...plain }
    const refused = await call('POST', '/v1/transactions', intent, shop)
    expect(refused.body).toMatchObject({ code: 'refused_by_rule', subject: `key:${shop.id}` })
    expect(await sendRpc({ from: carol.address, to: PAYEE }, shop)).toMatchObject({
      error: { data: { rule: 'targets' } },
    })
    expect((await call('POST', '/v1/transactions', intent)).status).toBe(202)
    const clerk = await makeKey('clerk', ['read', 'send', 'admin'])
    await setRules(`/v1/api-keys/${clerk.id}/rules`, { targets: [] })
    expect((await call('DELETE', `/v1/api-keys/${clerk.id}/rules`, undefined, clerk)).status).toBe(403)
    expect((await call('POST', '/v1/api-keys', { name: 'free', scopes: ['send'] }, clerk)).status).toBe(403)
    await clearRules(path)
  })

  test('a set that only reports lets it pass and says so', async () => {
    await setRules(rulesOf(carol.address), { mode: 'report', targets: [] })
    expect((await call('POST', '/v1/transactions', { from: carol.address, ...plain })).status).toBe(202)
    const isReport = ({ operation, result }: { operation: string; result: string }) =>
      operation === 'acceptTransaction' && result === 'reported_by_rule'
    const entries = await eventually(audit, (all) => all.some(isReport))
    expect(entries.find(isReport)).toMatchObject({ actor: expect.stringContaining('root') })
    await clearRules(rulesOf(carol.address))
  })

  test('a repeat of what was accepted gets its first answer, whatever the rules say by now', async () => {
    const intent = { from: carol.address, ...plain, requestId: 'again' }
    const first = await call('POST', '/v1/transactions', intent)
    await setRules(rulesOf(carol.address), { targets: [] })
    expect(await call('POST', '/v1/transactions', intent)).toMatchObject({ status: 200, body: { id: first.body.id } })
    await clearRules(rulesOf(carol.address))
    await mineUntil(first.body.id, isConfirmed)
  })

  test.each([[true], [false]])(
    'a repeat is not charged again, not even beside the first one (simulate: %s)',
    async (simulate) => {
      await setRules(rulesOf(carol.address), { value: { perDay: (100n * WEI).toString() } })
      const readUsed = async () => BigInt((await call('GET', rulesOf(carol.address))).body.usage[0].used)
      const before = await readUsed()
      const requestId = `charged once, simulate ${simulate}`
      const intent = { from: carol.address, to: PAYEE, value: (4n * WEI).toString(), requestId, simulate }
      const twins = await Promise.all(Array.from({ length: 5 }, () => call('POST', '/v1/transactions', intent)))
      expect(twins.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 202])
      const { id } = twins[0]?.body ?? {}
      expect(await call('POST', '/v1/transactions', intent)).toMatchObject({ status: 200, body: { id } })
      expect(new Set(twins.map(({ body }) => body.id)).size).toBe(1)
      expect(await readUsed()).toBe(before + 4n * WEI)
      await clearRules(rulesOf(carol.address))
      await mineUntil(id, isConfirmed)
    },
  )
})

describe('before signing, when the rules were tightened later', () => {
  const pause = (signer: string) => call('POST', `/v1/signers/${signer}/pause`, { reason: 'drill' })
  const resume = (signer: string) => call('POST', `/v1/signers/${signer}/resume`, { reason: 'drill' })

  test.each(KINDS)('%s (%j) holds what was accepted before, however it came in', async (rule, rules, tx) => {
    await pause(bob.address)
    const intent = { from: bob.address, ...tx }
    const one = await call('POST', '/v1/transactions', intent)
    const batch = await call('POST', '/v1/transactions/batch', { transactions: [intent] })
    const { value, ...rest } = intent
    const byRpc = sendRpc({ ...rest, ...(value !== undefined && { value: hex(BigInt(value)) }) })
    const queue = `/v1/transactions?from=${bob.address}&state=QUEUED`
    const read = async () => (await call('GET', queue)).body.items as { id: string; subState: string }[]
    const queued = await eventually(read, (all) => all.length === 3)
    await setRules(rulesOf(bob.address), rules)
    await resume(bob.address)
    for (const { id } of queued) {
      expect(await mineUntil(id, isHeld)).toMatchObject({ nonce: null, error: { code: 'held_by_rule', reason: rule } })
    }
    const explained = await call('GET', `/v1/transactions/${one.body.id}/explain`)
    expect(explained.body.cause).toBe('held_by_rule')
    expect(explained.body.summary.toLowerCase()).toContain(rule.toLowerCase())
    // A retry changes nothing, an operator may end it, and once the rules are gone the rest goes on by itself.
    await call('POST', `/v1/transactions/${one.body.id}/retry`, { reason: 'drill' })
    expect(await mineUntil(one.body.id, isHeld)).toMatchObject({ error: { reason: rule } })
    const cancelled = await call('POST', `/v1/transactions/${one.body.id}/cancel`, { reason: 'drill' })
    expect(cancelled.body).toMatchObject({ state: 'CANCELLED' })
    await clearRules(rulesOf(bob.address))
    const [second] = batch.body.results
    expect(await mineUntil(second.transaction.id, isConfirmed)).toMatchObject({ state: 'CONFIRMED' })
    expect(await byRpc).toMatchObject({ result: expect.stringMatching(/^0x/) })
  })

  test('what is held does not block those behind it, and goes when the cap has room again', async () => {
    await setRules(rulesOf(bob.address), { value: { perDay: (10n * WEI).toString() } })
    await pause(bob.address)
    const intent = (value: bigint) => ({ from: bob.address, to: PAYEE, value: value.toString() })
    const large = await call('POST', '/v1/transactions', intent(6n * WEI))
    const small = await call('POST', '/v1/transactions', intent(4n * WEI))
    expect(small.status).toBe(202)
    expect((await call('POST', '/v1/transactions', intent(1n))).body).toMatchObject({ rule: 'value.perDay' })
    await setRules(rulesOf(bob.address), { value: { perDay: (5n * WEI).toString() } })
    await resume(bob.address)
    expect(await mineUntil(small.body.id, isConfirmed)).toMatchObject({ state: 'CONFIRMED' })
    expect(await show(large.body.id)).toMatchObject({ subState: 'held_by_rule', nonce: null })
    await setRules(rulesOf(bob.address), { value: { perDay: (10n * WEI).toString() } })
    expect(await mineUntil(large.body.id, isConfirmed)).toMatchObject({ state: 'CONFIRMED' })
    const { usage } = (await call('GET', rulesOf(bob.address))).body
    const used = { rule: 'value.perDay', chainId: CHAIN_ID, used: (10n * WEI).toString(), remaining: '0' }
    expect(usage).toMatchObject([used])
    await clearRules(rulesOf(bob.address))
  })

  test('fees count with the most they can be, and with what they were once it is final', async () => {
    await setRules(rulesOf(carol.address), { gas: { perDay: (10n ** 18n).toString() } })
    const sent = await call('POST', '/v1/transactions', { from: carol.address, ...plain })
    const read = async () => BigInt((await call('GET', rulesOf(carol.address))).body.usage[0].used)
    const reserved = await read()
    const tx = await mineUntil(sent.body.id, isConfirmed)
    const { receipt } = tx as unknown as { receipt: { gasUsed: string; effectiveGasPrice: string } }
    const paid = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
    expect(await eventually(read, (used) => used === paid).then(String)).toBe(paid.toString())
    expect(reserved).toBeGreaterThan(paid)
    await clearRules(rulesOf(carol.address))
  })

  test('a fee that the cap has no room for is not offered, and a cancel is always signed', async () => {
    const body = { from: carol.address, ...plain }
    const sent = await call('POST', '/v1/transactions?wait=submitted&timeoutMs=30000', body)
    expect(sent.body.attempts).toBe(1)
    await setRules(rulesOf(carol.address), { gas: { perDay: '1' } })
    const path = `/v1/transactions/${sent.body.id}`
    const act = (action: string) => call('POST', `${path}/${action}`, { reason: 'drill' })
    expect((await act('speed-up')).status).toBe(200)
    const history = async () => (await call('GET', `${path}/history`)).body.items as { type: string; cause: string }[]
    const seen = await eventually(history, (all) => all.some(({ type }) => type === 'bump.refused'))
    expect(seen.find(({ type }) => type === 'bump.refused')).toMatchObject({ cause: 'bump_held_by_rule' })
    expect((await act('cancel')).status).toBe(200)
    // It is stored before it is sent: the node must have it before a block comes.
    await eventually(
      async () => {
        const { items } = (await call('GET', `${path}/attempts`)).body
        const cancel = items.find(({ kind }: { kind: string }) => kind === 'cancel')
        return cancel === undefined ? null : await service.chain.rpc('eth_getTransactionByHash', [cancel.hash])
      },
      (known) => known !== null,
    )
    expect(await mineUntil(sent.body.id, ({ state }) => state !== 'TRACKING')).toMatchObject({ state: 'CANCELLED' })
    await clearRules(rulesOf(carol.address))
  })
})

describe('timers', () => {
  const timer = (blocks: number) => ({
    from: carol.address,
    to: PAYEE,
    gasLimit: '100000',
    chainId: CHAIN_ID,
    schedule: { type: 'interval', blocks },
  })
  const firesOf = async (id: string) => (await call('GET', `/v1/timers/${id}/fires`)).body.items

  async function mineFires(id: string, isThere: (fires: { state: string; transactionId: string }[]) => boolean) {
    return await eventually(async () => {
      await service.chain.mine(1)
      return (await firesOf(id)) as { state: string; transactionId: string }[]
    }, isThere)
  }

  // A timer always calls something.
  const ofTimers = KINDS.filter(([rule]) => rule !== 'contractCreation')
  test.each(ofTimers)('%s (%j) is refused for a fire of a timer', async (rule, rules, tx) => {
    await setRules(rulesOf(carol.address), rules)
    const made = await call('POST', '/v1/timers', { ...timer(1), ...tx })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const [fire] = await mineFires(made.body.id, (fires) => fires.some(({ state }) => state !== 'OBSERVED'))
    await call('DELETE', `/v1/timers/${made.body.id}`)
    const fires = await firesOf(made.body.id)
    // What it costs is known only when it is to be signed.
    if (rule.startsWith('gas.')) {
      const { transactionId } = fires.find(({ state }: { state: string }) => state === 'QUEUED')
      expect(await mineUntil(transactionId, isHeld)).toMatchObject({ nonce: null, error: { reason: rule } })
    } else {
      expect(fire).toBeDefined()
      for (const { state, skipReason } of fires.filter(({ state }: { state: string }) => state !== 'OBSERVED'))
        expect([state, skipReason]).toEqual(['SKIPPED', 'refused_by_rule'])
    }
    await clearRules(rulesOf(carol.address))
  })

  test('only the key that made a timer changes what it sends, if rules bind either of them', async () => {
    // Whoever operates may change the timers of others.
    const mate = await makeKey('mate', ['read', 'send', 'operate'])
    const path = `/v1/api-keys/${mate.id}/rules`
    const made = await call('POST', '/v1/timers', timer(500))
    const update = (key: Key) => call('PATCH', `/v1/timers/${made.body.id}`, { data: '0x12345678' }, key)
    await setRules(path, { targets: [] })
    expect((await update(mate)).body).toMatchObject({
      code: 'forbidden',
      detail: expect.stringContaining('rules bind'),
    })
    expect((await update(root)).status).toBe(200)
    await clearRules(path)
    expect((await update(mate)).status).toBe(200)
    await call('DELETE', `/v1/timers/${made.body.id}`)
  })

  test('a fire that the rules refuse is skipped; one that they hold later waits like any other', async () => {
    await setRules(rulesOf(carol.address), { targets: [{ to: TOKEN }] })
    const made = await call('POST', '/v1/timers', timer(2))
    expect(made.status).toBe(201)
    const refused = await mineFires(made.body.id, (fires) => fires.some(({ state }) => state === 'SKIPPED'))
    expect(refused.find(({ state }) => state === 'SKIPPED')).toMatchObject({ skipReason: 'refused_by_rule' })
    await call('POST', `/v1/signers/${carol.address}/pause`, { reason: 'drill' })
    await clearRules(rulesOf(carol.address))
    const fires = await mineFires(made.body.id, (all) => all.some(({ state }) => state === 'QUEUED'))
    await call('DELETE', `/v1/timers/${made.body.id}`)
    await setRules(rulesOf(carol.address), { targets: [{ to: TOKEN }] })
    await call('POST', `/v1/signers/${carol.address}/resume`, { reason: 'drill' })
    const id = fires.find(({ state }) => state === 'QUEUED')?.transactionId ?? ''
    expect(await mineUntil(id, isHeld)).toMatchObject({ error: { reason: 'targets' } })
    await clearRules(rulesOf(carol.address))
    await mineUntil(id, isConfirmed)
  })

  test('the rules of the key that made a timer bind its fires', async () => {
    const path = `/v1/api-keys/${shop.id}/rules`
    await setRules(path, { targets: [] })
    const made = await call('POST', '/v1/timers', timer(1), shop)
    const fires = await mineFires(made.body.id, (all) => all.some(({ state }) => state === 'SKIPPED'))
    expect(fires.every(({ state }) => state !== 'QUEUED')).toBe(true)
    await call('DELETE', `/v1/timers/${made.body.id}`)
    await clearRules(path)
  })
})

describe('approval by two keys', () => {
  const above = 5n * WEI
  const reason = { reason: 'checked' }
  const decide = (id: string, verdict: string, name: string) =>
    call('POST', `/v1/transactions/${id}/${verdict}`, reason, keys.get(name))
  const send = async (value: bigint) =>
    (await call('POST', '/v1/transactions', { from: alice.address, to: PAYEE, value: value.toString() }, shop)).body

  beforeAll(async () => {
    for (const name of ['ann', 'ben', 'eve']) await makeKey(name, ['read', 'approve'])
    await makeKey('boss', ['read', 'send', 'approve'])
    const approval = { above: above.toString(), of: 2, keys: ['ann', 'ben', 'boss'] }
    await setRules(rulesOf(alice.address), { approval })
  })

  test('it waits, visible and without a nonce, while those behind it go; two named keys release it', async () => {
    const large = await send(above + 1n)
    expect(large).toMatchObject({
      state: 'QUEUED',
      subState: 'awaiting_approval',
      nonce: null,
      approval: { missing: 2 },
    })
    const small = await send(above)
    expect(await mineUntil(small.id, isConfirmed)).toMatchObject({ state: 'CONFIRMED' })
    const waiting = await call('GET', '/v1/transactions?subState=awaiting_approval')
    expect(waiting.body.items.map(({ id }: { id: string }) => id)).toEqual([large.id])
    const explained = await call('GET', `/v1/transactions/${large.id}/explain`)
    expect(explained.body).toMatchObject({
      cause: 'awaiting_approval',
      summary: expect.stringContaining('2 more approvals'),
    })
    expect((await decide(large.id, 'approve', 'shop')).status).toBe(403)
    expect((await decide(large.id, 'approve', 'eve')).status).toBe(403)
    expect(await decide(large.id, 'approve', 'ann')).toMatchObject({ status: 200, body: { approval: { missing: 1 } } })
    expect((await decide(large.id, 'approve', 'ann')).status).toBe(403)
    // Neither a retry nor a suspension lets it through.
    await call('POST', `/v1/transactions/${large.id}/suspend`, reason)
    await call('POST', `/v1/transactions/${large.id}/resume`, reason)
    expect(await show(large.id)).toMatchObject({ subState: 'awaiting_approval', nonce: null })
    expect((await decide(large.id, 'approve', 'ben')).status).toBe(200)
    expect(await mineUntil(large.id, isConfirmed)).toMatchObject({
      approval: { missing: 0, votes: [{ name: 'ann' }, { name: 'ben' }] },
    })
    const history = await call('GET', `/v1/transactions/${large.id}/history`)
    const given = history.body.items.filter(({ type }: { type: string }) => type === 'approval.given')
    expect(given).toMatchObject([{ detail: { reason: 'checked', missing: 1 } }, { detail: { missing: 0 } }])
    const entries = (await audit()).filter(({ operation }) => operation === 'approveTransaction')
    expect(entries.map(({ actor, result }) => [actor, result])).toEqual(
      expect.arrayContaining([
        ['ann', 'done'],
        ['ben', 'done'],
        ['eve', 'forbidden'],
        ['shop', 'forbidden'],
      ]),
    )
  })

  test('the key that sent it does not count, even if the rules name it', async () => {
    const body = { from: alice.address, to: PAYEE, value: (above + 1n).toString() }
    const own = (await call('POST', '/v1/transactions', body, keys.get('boss'))).body
    expect((await decide(own.id, 'approve', 'boss')).body).toMatchObject({ code: 'forbidden' })
    expect((await decide(own.id, 'reject', 'ben')).body).toMatchObject({ state: 'CANCELLED', subState: 'not_approved' })
  })

  test('the approval of a key that is revoked meanwhile does not count', async () => {
    const large = await send(above + 1n)
    await makeKey('ann', ['read', 'approve'])
    expect((await decide(large.id, 'approve', 'ann')).status).toBe(200)
    await call('DELETE', `/v1/api-keys/${keys.get('ann')?.id}`)
    expect((await decide(large.id, 'approve', 'ben')).body).toMatchObject({ approval: { missing: 1 } })
    await makeKey('ann', ['read', 'approve'])
    expect((await decide(large.id, 'approve', 'ann')).body).toMatchObject({ approval: { missing: 0 } })
    await mineUntil(large.id, isConfirmed)
  })

  test('not approved in time, it is cancelled', async () => {
    const late = await send(above + 1n)
    const client = new pg.Client({ connectionString: service.database.url })
    await client.connect()
    const past = `update managed_tx set approve_by = now() - interval '1 hour',
      approval = jsonb_set(approval, '{expiresAt}', '1') where tx_id = $1`
    await client.query(past, [late.id])
    await client.end()
    const ended = await eventually(
      () => show(late.id),
      ({ state }) => state === 'CANCELLED',
    )
    expect(ended).toMatchObject({ subState: 'not_approved', error: { code: 'approval_expired' }, nonce: null })
  })

  test('a threshold that is set later holds what is queued', async () => {
    await clearRules(rulesOf(alice.address))
    await call('POST', `/v1/signers/${alice.address}/pause`, reason)
    const early = await send(above + 1n)
    expect(early.subState).toBe('accepted')
    await setRules(rulesOf(alice.address), { approval: { above: '0', of: 1, keys: ['ann'] } })
    await call('POST', `/v1/signers/${alice.address}/resume`, reason)
    await mineUntil(early.id, ({ subState }) => subState === 'awaiting_approval')
    await decide(early.id, 'approve', 'ann')
    expect(await mineUntil(early.id, isConfirmed)).toMatchObject({ state: 'CONFIRMED' })
    await clearRules(rulesOf(alice.address))
  })
})
