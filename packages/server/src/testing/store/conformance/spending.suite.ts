/** Rule sets, their books, and the transactions that they bind. */
import { describe, expect, test } from 'vitest'
import { judgeAll } from '../../../core/rules/judge.ts'
import { NO_RULES, type RuleSet, signerSubject, subjectsOf } from '../../../core/rules/rule-set.ts'
import { settleAll } from '../../../core/rules/settle.ts'
import { FILL_PRIORITY } from '../../../core/transaction/fill.ts'
import type { NewTransaction, Store } from '../../../ports/store.ts'
import { acceptOne, acquire, anyHash, anyLane, anyNew, registerLane, toAllocated, toSave, write } from '../samples.ts'
import type { GetStore } from './store.suite.ts'

const CAPS = { perTransaction: null, perHour: null, perDay: null }
const ALL: RuleSet = {
  mode: 'report',
  chains: [1, 2],
  targets: [{ to: `0x${'aa'.repeat(20)}`, selectors: ['0x', '0xa9059cbb'], chainId: null }],
  contractCreation: false,
  value: { perTransaction: 1n, perHour: 2n ** 200n, perDay: null },
  gas: { ...CAPS, perDay: 5n },
  tokens: [{ ...CAPS, perHour: 7n, token: `0x${'bb'.repeat(20)}`, chainId: 1, approvalAbove: 9n }],
  count: { perHour: 3n, perDay: null },
  approval: { above: 1n, of: 2, keys: ['ann', 'bob'], expiresInMs: 60_000 },
}

function wantedOf({ id, intent, keyId }: NewTransaction) {
  const { lane, to, data, value } = intent
  const wanted = { chainId: lane.chainId, to, data, value, feeWei: 1n }
  return { txId: id, subjects: subjectsOf(lane.signer, keyId), wanted }
}

async function judge(store: Store, entry: NewTransaction) {
  const item = wantedOf(entry)
  const read = await store.readSpending({ subjects: item.subjects, txIds: [entry.id] })
  const { verdicts, write: books } = judgeAll(read, [item])
  return { read, books, verdict: verdicts[0], judgedBy: verdicts[0]?.judgedBy ?? [] }
}

export function describeSpending(get: GetStore): void {
  describe('spending rules', () => {
    test('rules come back as they were set, with who set them, and the set before', async () => {
      const { store } = get()
      const subject = signerSubject(anyLane().signer)
      expect(await store.putRules(subject, ALL, 'ann')).toBeNull()
      expect(await store.putRules(subject, NO_RULES, 'bob')).toEqual(ALL)
      const own = (await store.listAccounts()).find((account) => account.subject === subject)
      expect(own).toMatchObject({ rules: NO_RULES, ledger: {}, updatedBy: 'bob' })
      expect(await store.putRules(subject, null, 'ann')).toEqual(NO_RULES)
      expect(await store.putRules(subject, null, 'ann')).toBeNull()
      expect((await store.readSpending({ subjects: [subject], txIds: [] })).accounts).toEqual([])
    })

    test('rules that were removed and set again are other rules: what was decided before does not count', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const subject = signerSubject(lane.signer)
      await store.putRules(subject, NO_RULES, 'ann')
      const entry = anyNew(lane)
      const { books, judgedBy } = await judge(store, entry)
      await store.putRules(subject, null, 'ann')
      await store.putRules(subject, { ...NO_RULES, targets: [] }, 'ann')
      expect(await store.insertTransactions([{ ...entry, judgedBy }], books)).toEqual([{ type: 'not_judged' }])
      expect(await store.writeSpending(books)).toBe(false)
    })

    test('what rules bind is not stored without having been held against them', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      await store.putRules(signerSubject(lane.signer), NO_RULES, 'ann')
      const entry = anyNew(lane)
      const free = anyNew(await registerLane(store))
      const outcomes = await store.insertTransactions([entry, free])
      expect(outcomes.map(({ type }) => type)).toEqual(['not_judged', 'inserted'])
      expect(await store.findTransaction(entry.id)).toBeNull()
      const fill = anyNew(lane, { priority: FILL_PRIORITY })
      expect((await store.insertTransactions([fill])).map(({ type }) => type)).toEqual(['inserted'])
    })

    test('the rules of the key that sends it bind it too', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const keyId = anyHash().slice(2, 18)
      await store.putRules(`key:${keyId}`, NO_RULES, 'ann')
      const outcomes = await store.insertTransactions([{ ...anyNew(lane), keyId }, anyNew(lane)])
      expect(outcomes.map(({ type }) => type)).toEqual(['not_judged', 'inserted'])
      await store.putRules(`key:${keyId}`, null, 'ann')
      const [outcome] = await store.insertTransactions([{ ...anyNew(lane), keyId }])
      expect(outcome).toMatchObject({ type: 'inserted', transaction: { keyId } })
    })

    test('a transaction and its charge are stored together, and only on the books that were read', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const subject = signerSubject(lane.signer)
      await store.putRules(subject, NO_RULES, 'ann')
      const [first, second] = [anyNew(lane, { value: 5n }), anyNew(lane, { value: 6n })]
      const [one, two] = [await judge(store, first), await judge(store, second)]
      const insert = (entry: NewTransaction, { judgedBy, books }: typeof one) =>
        store.insertTransactions([{ ...entry, judgedBy }], books)
      expect(await insert(first, one)).toMatchObject([{ type: 'inserted' }])
      expect(await insert(second, two)).toEqual([{ type: 'not_judged' }])
      expect(await store.findTransaction(second.id)).toBeNull()
      const again = await judge(store, second)
      expect(await insert(second, again)).toMatchObject([{ type: 'inserted' }])
      const { accounts, charges } = await store.readSpending({ subjects: [subject], txIds: [first.id, second.id] })
      expect(charges).toHaveLength(2)
      expect(accounts[0]?.version).toBe((one.read.accounts[0]?.version ?? 0) + 2)
      const total = Object.values(accounts[0]?.ledger[`${lane.chainId}/value`]?.day ?? {})
      expect(total.reduce((sum, amount) => sum + amount, 0n)).toBe(11n)
    })

    test('of many that decided on the same books one is stored', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      await store.putRules(signerSubject(lane.signer), NO_RULES, 'ann')
      const entries = Array.from({ length: 8 }, () => anyNew(lane))
      const judged = await Promise.all(entries.map((entry) => judge(store, entry)))
      const outcomes = await Promise.all(
        entries.map((entry, index) =>
          store.insertTransactions([{ ...entry, judgedBy: judged[index]?.judgedBy ?? [] }], judged[index]?.books),
        ),
      )
      expect(outcomes.flat().filter(({ type }) => type === 'inserted')).toHaveLength(1)
    })

    test('writing to books that changed changes nothing', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const subject = signerSubject(lane.signer)
      await store.putRules(subject, NO_RULES, 'ann')
      const { books } = await judge(store, anyNew(lane))
      expect(await store.writeSpending(books)).toBe(true)
      expect(await store.writeSpending(books)).toBe(false)
      await store.putRules(subject, null, 'ann')
      expect(await store.writeSpending(books)).toBe(false)
    })

    test('a transaction that ended is settled with what it spent, one that was never stored with nothing', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      const subject = signerSubject(lane.signer)
      await store.putRules(subject, NO_RULES, 'ann')
      const [kept, lost] = [anyNew(lane, { value: 5n }), anyNew(lane, { value: 6n })]
      const one = await judge(store, kept)
      const [outcome] = await store.insertTransactions([{ ...kept, judgedBy: one.judgedBy }], one.books)
      await store.writeSpending((await judge(store, lost)).books)
      expect(await store.readEnds([subject], 10)).toEqual([])
      if (outcome?.type !== 'inserted') throw new Error(`expected an insert, got ${outcome?.type}`)
      const { retryAt: _, prepareFailures: __, ...base } = outcome.transaction
      const ended = {
        ...base,
        state: 'CANCELLED',
        subState: 'cancelled',
        nonce: null,
        finalAt: base.createdAt,
      } as const
      await store.amend(toSave(outcome.transaction, ended), [])
      expect(await store.readEnds([subject], 10)).toMatchObject([{ charge: { txId: kept.id }, mined: null }])
      await elapse(61_000)
      const ends = await store.readEnds([subject], 10)
      expect(ends.map(({ charge }) => charge.txId).sort()).toEqual([kept.id, lost.id].sort())
      const read = await store.readSpending({ subjects: [subject], txIds: [] })
      expect(await store.writeSpending(settleAll(read.accounts, ends, read.nowMs))).toBe(true)
      expect(await store.readEnds([subject], 10)).toEqual([])
    })

    test('the queue says what rules bind, and leaves out what they hold until the rules change', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const tx = await acceptOne(store, lane)
      expect(await store.readQueue(lane, 10)).toEqual([tx])
      const subject = signerSubject(lane.signer)
      await store.putRules(subject, NO_RULES, 'ann')
      expect(await store.readQueue(lane, 10)).toEqual([{ ...tx, hasRules: true }])
      const lease = await acquire(store, lane)
      const retryAt = tx.createdAt + 86_400_000
      const error = { code: 'held_by_rule', message: 'too much' }
      await write(store, lease, [[tx, { ...tx, subState: 'held_by_rule', error, retryAt, prepareFailures: 1 }]])
      expect(await store.readQueue(lane, 10)).toEqual([])
      await store.putRules(subject, { ...NO_RULES, contractCreation: false }, 'ann')
      expect(await store.readQueue(lane, 10)).toMatchObject([{ id: tx.id, subState: 'held_by_rule', hasRules: true }])
    })

    test('what waits for approval is stored as such, stays out of the queue, and is late in time', async () => {
      const { store, elapse } = get()
      const lane = await registerLane(store)
      const lease = await acquire(store, lane)
      const { nowMs } = await store.ping()
      const need = { subject: signerSubject(lane.signer), of: 1, keys: ['ann'] }
      const approval = { needs: [need], votes: [], expiresAt: nowMs + 5_000 }
      const [waiting, plain] = [{ ...anyNew(lane), approval }, anyNew(lane)]
      const [outcome] = await store.insertTransactions([waiting, plain])
      expect(outcome).toMatchObject({ transaction: { state: 'QUEUED', subState: 'awaiting_approval', approval } })
      expect(await store.findTransaction(waiting.id)).toMatchObject({ subState: 'awaiting_approval', approval })
      expect((await store.readHistory(waiting.id))[0]).toMatchObject({
        type: 'accepted',
        subState: 'awaiting_approval',
      })
      expect((await store.readQueue(lane, 10)).map(({ id }) => id)).toEqual([plain.id])
      const list = await store.listTransactions(
        { subState: 'awaiting_approval', from: lane.signer },
        { after: null, limit: 5 },
      )
      expect(list.items.map(({ id }) => id)).toEqual([waiting.id])
      expect((await store.readNonceLine(lane)).queued).toBe(1)
      expect(await store.countAhead(plain.id)).toBe(0)
      expect(await store.readExpired(lease.nodeId, 10)).toEqual([])
      await elapse(6_000)
      expect((await store.readExpired(lease.nodeId, 10)).map(({ id }) => id)).toEqual([waiting.id])
      if (outcome?.type !== 'inserted') throw new Error(`expected an insert, got ${outcome?.type}`)
      const vote = { keyId: '1', name: 'ann', at: nowMs, reason: 'checked' }
      const approved = {
        ...outcome.transaction,
        subState: 'accepted',
        approval: { ...approval, votes: [vote] },
      } as const
      await store.amend(toSave(outcome.transaction, approved), [])
      expect((await store.readQueue(lane, 10)).map(({ id }) => id)).toEqual([waiting.id, plain.id])
      expect(await store.readExpired(lease.nodeId, 10)).toEqual([])
    })

    test('a transaction keeps the key that sent it and its approval when it gets a nonce', async () => {
      const { store } = get()
      const lane = await registerLane(store)
      const lease = await acquire(store, lane)
      const need = { subject: signerSubject(lane.signer), of: 0, keys: ['ann'] }
      const approval = { needs: [need], votes: [], expiresAt: 5_000 }
      const entry = { ...anyNew(lane), keyId: 'c0ffee', approval }
      const [outcome] = await store.insertTransactions([entry])
      if (outcome?.type !== 'inserted') throw new Error(`expected an insert, got ${outcome?.type}`)
      await write(store, lease, [[outcome.transaction, toAllocated(outcome.transaction, 0, lease)]])
      expect(await store.findTransaction(entry.id)).toMatchObject({ state: 'ALLOCATED', keyId: 'c0ffee', approval })
    })
  })
}
