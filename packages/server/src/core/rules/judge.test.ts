import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JudgeItem, judgeAll, type SpendingAccount, type SpendingRead } from './judge.ts'
import { ledgerKey, spentOf } from './ledger.ts'
import { keySubject, NO_RULES, type RuleSet, type SubjectId, signerSubject } from './rule-set.ts'
import { settleAll } from './settle.ts'
import { listUsage } from './usage.ts'

const SIGNER = signerSubject(`0x${'11'.repeat(20)}`)
const KEY = keySubject('0123456789abcdef')
const PAYEE = `0x${'bb'.repeat(20)}` as const
const CAPS = { perTransaction: null, perHour: null, perDay: null }
const HOUR = 3_600_000
const NOW = 1_000 * 24 * HOUR

function account(rules: Partial<RuleSet>, subject: SubjectId = SIGNER): SpendingAccount {
  return { subject, rules: { ...NO_RULES, ...rules }, ledger: {}, version: 1, updatedAt: 0, updatedBy: 'ann' }
}

function item(txId: string, value: bigint, over: Partial<JudgeItem> = {}): JudgeItem {
  const wanted = { chainId: 1, to: PAYEE, data: '0x' as const, value, feeWei: 2n }
  return { txId, subjects: [SIGNER, KEY], wanted, ...over }
}

/** The state after a write, as a store would keep it. */
function apply(read: SpendingRead, items: readonly JudgeItem[], nowMs = read.nowMs) {
  const result = judgeAll({ ...read, nowMs }, items)
  const ledgers = new Map(result.write.accounts.map(({ subject, ledger }) => [subject, ledger]))
  const accounts = read.accounts.map((each) => ({ ...each, ledger: ledgers.get(each.subject) ?? each.ledger }))
  const gone = new Set([...result.write.dropped, ...result.write.charges].map((one) => `${one.txId} ${one.subject}`))
  const charges = [...read.charges.filter((one) => !gone.has(`${one.txId} ${one.subject}`)), ...result.write.charges]
  return { ...result, next: { nowMs, accounts, charges } }
}

const daily = (limit: bigint) => ({ value: { ...CAPS, perDay: limit } })
const start = (...accounts: readonly SpendingAccount[]): SpendingRead => ({ nowMs: NOW, accounts, charges: [] })
const refusedOf = ({ verdicts }: ReturnType<typeof judgeAll>) =>
  verdicts.map(({ refused }) => refused?.refusal.rule ?? null)

describe('several at once', () => {
  test('each sees what those before it took', () => {
    const result = judgeAll(start(account(daily(10n))), [item('a', 6n), item('b', 6n), item('c', 4n)])
    expect(refusedOf(result)).toEqual([null, 'value.perDay', null])
    expect(result.write.charges.map(({ txId }) => txId)).toEqual(['a', 'c'])
  })

  test('signer and key both have to allow it, and what one refuses is not charged to the other', () => {
    const read = start(account({}), account(daily(5n), KEY))
    const result = apply(read, [item('a', 6n)])
    expect(result.verdicts[0]?.refused).toMatchObject({ subject: KEY })
    expect(result.write).toEqual({ accounts: [], charges: [], dropped: [] })
    expect(apply(read, [item('b', 5n)]).write.charges).toHaveLength(2)
  })

  test('a set that only reports refuses nothing, charges and says what it would have done', () => {
    const result = judgeAll(start(account({ ...daily(5n), mode: 'report' })), [item('a', 6n)])
    expect(result.verdicts[0]).toMatchObject({ refused: null, reported: [{ refusal: { rule: 'value.perDay' } }] })
    expect(result.write.charges).toHaveLength(1)
  })

  test('what is exempt is charged and never refused', () => {
    const gas = { gas: { ...CAPS, perDay: 1n } }
    const result = judgeAll(start(account(gas)), [item('a', 0n, { isExempt: true })])
    expect(result.verdicts[0]?.refused).toBeNull()
    expect(result.write.charges).toMatchObject([{ amounts: { gas: 2n } }])
  })
})

describe('the same one again', () => {
  test('counts once', () => {
    const once = apply(start(account(daily(10n))), [item('a', 6n)])
    const twice = apply(once.next, [item('a', 6n)])
    expect(refusedOf(twice)).toEqual([null])
    expect(spentOf(twice.next.accounts[0]?.ledger ?? {}, ledgerKey(1, 'value'), NOW)).toEqual({ hour: 6n, day: 6n })
  })

  test('held under stricter rules it gives its room to the next', () => {
    const before = apply(start(account(daily(20n))), [item('a', 6n), item('b', 6n)])
    const stricter = {
      ...before.next,
      accounts: before.next.accounts.map((one) => ({ ...one, rules: account(daily(10n)).rules })),
    }
    const after = judgeAll(stricter, [item('a', 6n), item('b', 6n)])
    expect(refusedOf(after)).toEqual(['value.perDay', null])
    expect(after.write.dropped).toEqual([{ txId: 'a', subject: SIGNER }])
  })

  test('sent before, it keeps its charge when a higher fee is refused', () => {
    const rules = { gas: { ...CAPS, perDay: 5n } }
    const before = apply(start(account(rules)), [item('a', 1n)])
    const dearer = { ...item('a', 1n, { isSent: true }), wanted: { ...item('a', 1n).wanted, feeWei: 6n } }
    const after = apply(before.next, [dearer])
    expect(refusedOf(after)).toEqual(['gas.perDay'])
    expect(spentOf(after.next.accounts[0]?.ledger ?? {}, ledgerKey(1, 'gas'), NOW).day).toBe(2n)
  })
})

describe('time', () => {
  test('a window frees up a step late at most, and never early', () => {
    const full = apply(start(account(daily(10n))), [item('a', 10n)])
    const later = (ms: number) => refusedOf(apply(full.next, [item('b', 1n)], NOW + ms))[0]
    expect(later(24 * HOUR - 1)).toBe('value.perDay')
    expect(later(25 * HOUR)).toBeNull()
  })

  test('in no 24 hours is more charged than the cap allows', () => {
    const step = fc.record({ afterMs: fc.integer({ min: 0, max: 6 * HOUR }), value: fc.bigInt(1n, 6n) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let read = start(account(daily(10n)))
        const sent: { at: number; value: bigint }[] = []
        for (const [index, { afterMs, value }] of steps.entries()) {
          const { next, verdicts } = apply(read, [item(`tx ${index}`, value)], read.nowMs + afterMs)
          if (verdicts[0]?.refused === null) sent.push({ at: next.nowMs, value })
          read = next
        }
        for (const { at: end } of sent) {
          const within = sent.filter(({ at }) => at <= end && at > end - 24 * HOUR)
          expect(within.reduce((sum, { value }) => sum + value, 0n)).toBeLessThanOrEqual(10n)
        }
      }),
    )
  })

  test('the books never grow beyond their steps', () => {
    let read = start(account({ count: { perHour: null, perDay: null } }))
    for (let index = 0; index < 400; index++) read = apply(read, [item(`tx ${index}`, 1n)], read.nowMs + HOUR / 12).next
    const [books] = read.accounts
    expect(Object.keys(books?.ledger[ledgerKey(1, 'value')]?.hour ?? {}).length).toBeLessThanOrEqual(13)
    expect(Object.keys(books?.ledger[ledgerKey(1, 'value')]?.day ?? {}).length).toBeLessThanOrEqual(25)
  })
})

test('once it ended, what it did spend counts', () => {
  const { next } = apply(start(account({ ...daily(100n), gas: { ...CAPS, perDay: 100n } })), [
    item('failed', 10n),
    item('never sent', 20n),
    item('confirmed', 30n),
  ])
  const charge = (txId: string) => {
    const found = next.charges.find((one) => one.txId === txId)
    if (found === undefined) throw new Error(`no charge of ${txId}`)
    return found
  }
  const write = settleAll(
    next.accounts,
    [
      { charge: charge('failed'), mined: { feeWei: 1n, succeeded: false } },
      { charge: charge('never sent'), mined: null },
      { charge: charge('confirmed'), mined: { feeWei: 1n, succeeded: true } },
    ],
    NOW,
  )
  const ledger = write.accounts[0]?.ledger ?? {}
  expect(listUsage(next.accounts[0]?.rules ?? NO_RULES, ledger, [1], NOW)).toEqual([
    { rule: 'value.perDay', chainId: 1, limit: 100n, used: 30n, remaining: 70n },
    { rule: 'gas.perDay', chainId: 1, limit: 100n, used: 2n, remaining: 98n },
  ])
  expect(write.dropped).toHaveLength(3)
})

test('what needs approval says who approves', () => {
  const approval = { above: 5n, of: 2, keys: ['ann', 'bob'], expiresInMs: 1_000 }
  const { verdicts } = judgeAll(start(account({ approval })), [item('a', 5n), item('b', 6n)])
  expect(verdicts.map(({ needs }) => needs)).toEqual([
    [],
    [{ subject: SIGNER, of: 2, keys: ['ann', 'bob'], expiresInMs: 1_000 }],
  ])
})
