/** What every store of timers must do: run against the model in memory and against PostgreSQL. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Lane } from '../../../core/lane/lane.ts'
import { FAST } from '../../../core/lane/policy.ts'
import { NO_RULES, signerSubject } from '../../../core/rules/rule-set.ts'
import type { TimerState } from '../../../core/timer/timer.ts'
import { transition } from '../../../core/transaction/transition.ts'
import type { Store } from '../../../ports/store.ts'
import type { HandOff, TimerLease, TimerStore } from '../../../ports/timer-store.ts'
import {
  acceptCommand,
  anyBlock,
  anyFire,
  anyHash,
  anyLabel,
  anySpec,
  handOffOf,
  startTimer,
  writeBlock,
} from '../sample-timers.ts'
import { anyAddress, registerLane } from '../samples.ts'
import { describeTimerCosts } from './timer-costs.suite.ts'

export interface TimerStoreUnderTest {
  readonly timers: TimerStore
  readonly store: Store
  /** Lets leases grow older by this much. */
  elapse(ms: number): Promise<void>
  close(): Promise<void>
}

const TTL_MS = 10_000
const SAME = anyHash()

/** What an operator does to a transaction in line. */
async function cancelQueued(store: Store, id: string): Promise<void> {
  const tx = await store.findTransaction(id)
  if (tx === null) throw new Error('there is no such transaction')
  const by = { actor: 'tests', reason: 'for the test' }
  const step = transition(tx, { type: 'operator.cancelled', at: Date.now(), by }, FAST)
  const { version, state, attempts } = tx
  const save = { before: { version, state, attemptCount: attempts.length }, tx: step.tx, notes: step.notes }
  expect(await store.amend(save, [])).toMatchObject({ type: 'written' })
}

export function describeTimerStore(name: string, create: () => Promise<TimerStoreUnderTest>): void {
  describe(`${name} as a store of timers`, () => {
    let subject: TimerStoreUnderTest
    let timers: TimerStore
    let store: Store
    beforeAll(async () => {
      subject = await create()
      timers = subject.timers
      store = subject.store
    })
    afterAll(() => subject?.close())

    let chains = 0
    /** A chain of its own with a signer, and the lease of its timers. */
    async function open(): Promise<{ lease: TimerLease; lane: Lane; chainId: number }> {
      chains += 1
      const lane = await registerLane(store, { chainId: 7_000 + chains, signer: anyAddress() })
      const [lease] = await timers.keepTimerLeases('node-a', [lane.chainId], TTL_MS)
      if (lease === undefined) throw new Error('not leased')
      return { lease, lane, chainId: lane.chainId }
    }

    const queuedOf = async (lane: Lane) =>
      (await store.listTransactions({ chainId: lane.chainId }, { after: null, limit: 100, order: 'asc' })).items

    describe('leases', () => {
      test('one node has them; another takes over when they have run out, with a higher fence', async () => {
        const { chainId, lease } = await open()
        expect(await timers.keepTimerLeases('node-b', [chainId], TTL_MS)).toEqual([])
        expect(await timers.keepTimerLeases('node-a', [chainId], TTL_MS)).toEqual([lease])
        await subject.elapse(TTL_MS + 1)
        expect(await timers.findTimerLease(chainId)).toBeNull()
        const [taken] = await timers.keepTimerLeases('node-b', [chainId], TTL_MS)
        expect(taken).toEqual({ chainId, nodeId: 'node-b', fence: lease.fence + 1 })
        expect(await timers.findTimerLease(chainId)).toEqual(taken)
      })

      test('released leases are free at once; those of others are left alone', async () => {
        const { chainId, lease } = await open()
        await timers.releaseTimerLeases([{ ...lease, nodeId: 'node-b' }])
        expect(await timers.findTimerLease(chainId)).toEqual(lease)
        await timers.releaseTimerLeases([lease])
        expect(await timers.keepTimerLeases('node-b', [chainId], TTL_MS)).toHaveLength(1)
      })

      test('without one, nothing is written [G5]', async () => {
        const { chainId, lease, lane } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        await subject.elapse(TTL_MS + 1)
        const block = anyBlock(11)
        const fire = anyFire(timer, block)
        expect(await writeBlock(timers, lease, block, { fires: [fire] })).toEqual({ type: 'fenced' })
        await timers.keepTimerLeases('node-b', [chainId], TTL_MS)
        expect(await writeBlock(timers, lease, block, { fires: [fire] })).toEqual({ type: 'fenced' })
        const command = { type: 'cancel', timerId: timer.id, kernelId: timer.kernelId, spec: timer.spec } as const
        expect((await acceptCommand(timers, lease, command)).written).toEqual({ type: 'fenced' })
        expect((await timers.readTip(chainId))?.height).toBe(10)
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toEqual([])
        expect(await timers.findTimer(timer.id)).toMatchObject({ state: 'ACTIVE' })
      })
    })

    describe('commands', () => {
      test('wait in order until they are answered', async () => {
        const { chainId, lease, lane } = await open()
        await writeBlock(timers, lease, anyBlock(10))
        const ids = [randomUUID(), randomUUID()]
        for (const id of ids)
          await timers.insertCommands(
            chainId,
            [{ id, command: { type: 'params', change: { maxFiresPerBlock: 1 } } }],
            10,
          )
        expect((await timers.readPendingCommands(chainId, 10)).map(({ id }) => id)).toEqual(ids)
        expect((await timers.readPendingCommands(chainId, 1)).map(({ id }) => id)).toEqual(ids.slice(0, 1))
        await startTimer(timers, lease, anySpec(lane))
        expect(await timers.findCommands([ids[0] ?? '', randomUUID()])).toMatchObject([{ answer: null }, null])
      })

      test('one that changed nothing is forgotten a while after its answer; those of the log stay', async () => {
        const { chainId, lease } = await open()
        await writeBlock(timers, lease, anyBlock(10))
        const asked = randomUUID()
        const params = { type: 'params', change: { maxFiresPerBlock: 1 } } as const
        await timers.insertCommands(chainId, [{ id: asked, command: params }], 10)
        const { id: logged } = await acceptCommand(timers, lease, params, null)
        const tip = await timers.readTip(chainId)
        if (tip === null) throw new Error('no block was written')
        const answer = { type: 'refused', code: 'invalid_request', message: 'no' } as const
        await timers.writeCommands({
          lease,
          expected: tip,
          expectedSeq: 1,
          results: [{ id: asked, answer, logged: null, started: null }],
          changes: [],
          queue: null,
        })
        await acceptCommand(timers, lease, params)
        expect(await timers.findCommands([asked, logged])).toMatchObject([{ id: asked }, { id: logged }])
        await subject.elapse(11 * 60_000)
        const [again] = await timers.keepTimerLeases('node-a', [chainId], TTL_MS)
        if (again === undefined) throw new Error('not leased')
        await acceptCommand(timers, again, params)
        expect(await timers.findCommands([asked, logged])).toMatchObject([null, { id: logged }])
      })

      test('past the bound they are refused', async () => {
        const { chainId } = await open()
        const command = { type: 'params', change: { maxFiresPerBlock: 1 } } as const
        const ask = async () => (await timers.insertCommands(chainId, [{ id: randomUUID(), command }], 2))[0]
        expect([await ask(), await ask(), await ask()]).toEqual([
          ...[{ type: 'inserted' }, { type: 'inserted' }, { type: 'too_many' }],
        ])
      })

      test('those that come together keep their order; past the bound only the first are stored', async () => {
        const { chainId } = await open()
        const command = { type: 'params', change: { maxFiresPerBlock: 1 } } as const
        const asked = Array.from({ length: 6 }, () => ({ id: randomUUID(), command }))
        const types = async (from: number, to: number) =>
          (await timers.insertCommands(chainId, asked.slice(from, to), 4)).map(({ type }) => type)
        expect(await types(0, 3)).toEqual(['inserted', 'inserted', 'inserted'])
        expect(await types(3, 6)).toEqual(['inserted', 'too_many', 'too_many'])
        const stored = (await timers.readPendingCommands(chainId, 10)).map(({ id }) => id)
        expect(stored).toEqual(asked.slice(0, 4).map(({ id }) => id))
      })

      test('the same request twice in one go is one command, and holds up none of the others', async () => {
        const { chainId, lane } = await open()
        const labels = ['a', 'b', 'a', 'a'].map((requestId) => anyLabel({ requestId, requestDigest: SAME }))
        const asked = [...labels, anyLabel({ requestId: 'a' }), anyLabel()].map((label) => {
          const command = { type: 'set', timerId: randomUUID(), spec: anySpec(lane), label } as const
          return { id: randomUUID(), command }
        })
        const [first] = asked
        const same = { type: 'existing', commandId: first?.id, timerId: first?.command.timerId, isSame: true }
        expect(await timers.insertCommands(chainId, asked, 100)).toEqual([
          ...[{ type: 'inserted' }, { type: 'inserted' }, same, same, { ...same, isSame: false }, { type: 'inserted' }],
        ])
      })

      test('the same requests in another order from another node are one command each', async () => {
        const { chainId, lane } = await open()
        const ask = (requestIds: readonly string[]) => {
          const asked = requestIds.map((requestId) => {
            const label = anyLabel({ requestId, requestDigest: SAME })
            const command = { type: 'set', timerId: randomUUID(), spec: anySpec(lane), label } as const
            return { id: randomUUID(), command }
          })
          return timers.insertCommands(chainId, asked, 1_000)
        }
        const names = Array.from({ length: 40 }, (_, n) => `request ${n}`)
        const outcomes = (await Promise.all([ask(names), ask(names.toReversed())])).flat()
        expect(outcomes.filter(({ type }) => type === 'inserted')).toHaveLength(names.length)
        expect(outcomes.filter((each) => each.type === 'existing' && each.isSame)).toHaveLength(names.length)
      })

      test('the same request again is the same command; another body under its id is told apart', async () => {
        const { chainId, lane } = await open()
        const label = anyLabel({ requestId: 'one', tenant: 'shop' })
        const made: string[] = []
        const ask = async (change: Partial<typeof label> = {}) => {
          const spec = anySpec(lane)
          const own = { ...label, ...change }
          const timerId = randomUUID()
          made.push(timerId)
          const command = { type: 'set', timerId, spec, label: own } as const
          return (await timers.insertCommands(chainId, [{ id: randomUUID(), command }], 100))[0]
        }
        expect(await ask()).toEqual({ type: 'inserted' })
        const [first] = await timers.readPendingCommands(chainId, 1)
        const existing = { type: 'existing', commandId: first?.id, timerId: made[0] }
        expect(await ask()).toEqual({ ...existing, isSame: true })
        expect(await ask({ requestDigest: anyHash() })).toEqual({ ...existing, isSame: false })
        expect(await ask({ tenant: 'other' })).toEqual({ type: 'inserted' })
      })

      test('a refusal frees its request id', async () => {
        const { chainId, lease, lane } = await open()
        await writeBlock(timers, lease, anyBlock(10))
        const label = anyLabel({ requestId: 'again' })
        const ask = async (id: string) => {
          const command = { type: 'set', timerId: randomUUID(), spec: anySpec(lane), label } as const
          return (await timers.insertCommands(chainId, [{ id, command }], 100))[0]
        }
        const id = randomUUID()
        await ask(id)
        const expected = await timers.readTip(chainId)
        if (expected === null) throw new Error('no block')
        const answer = { type: 'refused', code: 'ERR_QUOTA_EXCEEDED', message: 'too many' } as const
        const results = [{ id, answer, logged: null, started: null }]
        await timers.writeCommands({ lease, expected, expectedSeq: 0, results, changes: [], queue: null })
        expect(await timers.findCommands([id])).toMatchObject([{ answer }])
        expect(await ask(randomUUID())).toEqual({ type: 'inserted' })
      })

      test('a write that was decided on other blocks or commands changes nothing', async () => {
        const { chainId, lease, lane } = await open()
        const { id, kernelId, spec } = await startTimer(timers, lease, anySpec(lane))
        const expected = await timers.readTip(chainId)
        if (expected === null) throw new Error('no block')
        const command = { type: 'pause', timerId: id, kernelId, spec } as const
        const late = { type: 'stale' }
        expect((await acceptCommand(timers, lease, command, null, { expectedSeq: 0 })).written).toEqual(late)
        const other = { height: expected.height, hash: anyHash() }
        expect((await acceptCommand(timers, lease, command, null, { expected: other })).written).toEqual(late)
        expect(await timers.findTimer(id)).toMatchObject({ state: 'ACTIVE' })
        expect((await acceptCommand(timers, lease, command)).written).toEqual({ type: 'written' })
        expect(await timers.findTimer(id)).toMatchObject({ state: 'PAUSED', dueHeight: null })
      })
    })

    describe('timers', () => {
      test('are stored as they were asked for, and found by id, kernel id and request', async () => {
        const { chainId, lease, lane } = await open()
        const spec = anySpec(lane, {
          schedule: { type: 'watch', keys: [`0x${'ab'.repeat(21)}`] },
          when: { to: `0x${'dd'.repeat(20)}`, data: '0x01', comparison: 'gt', value: -5n, isSigned: true },
          overlap: 'skip',
          appendDeliverId: true,
          maxFeeWei: 2n ** 90n,
          value: 2n ** 200n,
        })
        const timer = await startTimer(timers, lease, spec, { requestId: 'r', tenant: 'shop' })
        expect(timer).toMatchObject({ spec, tenant: 'shop', name: 'sample', metadata: { job: 'one' }, fireCount: 0 })
        expect(timer).toMatchObject({ state: 'ACTIVE', dueHeight: 15, createdHeight: 10, createdBy: 'tests' })
        expect(await timers.findTimers([timer.id, randomUUID()])).toEqual([timer])
        expect(await timers.findTimersByKernelId([timer.kernelId])).toEqual([timer])
        const request = { chainId, tenant: 'shop', requestId: 'r' }
        expect(await timers.findTimersByRequest([{ ...request, tenant: '' }, request, request])).toEqual([
          ...[null, timer, timer],
        ])
        const [incarnation] = await timers.readIncarnations([timer.kernelId])
        expect(incarnation).toMatchObject({ timerId: timer.id, tenant: 'shop', spec })
        expect(await timers.countTimers(chainId, { tenant: 'shop' }, 5)).toBe(1)
        expect(await timers.countTimers(chainId, { tenant: '' }, 5)).toBe(0)
        expect(await timers.countTimers(chainId, { owner: lane.signer }, 5)).toBe(1)
        expect(await timers.countTimers(chainId, { owner: anyAddress() }, 5)).toBe(0)
        const { target } = spec
        expect(await timers.countTimers(chainId, { tenant: 'shop', target }, 5)).toBe(1)
        expect(await timers.countTimers(chainId, { tenant: 'other', target }, 5)).toBe(0)
        expect(await timers.countTimers(chainId, { tenant: 'shop', target: anyAddress() }, 5)).toBe(0)
        const { id: timerId, kernelId } = timer
        await acceptCommand(timers, lease, { type: 'pause', timerId, kernelId, spec })
        expect(await timers.countTimers(chainId, { tenant: 'shop', target }, 5)).toBe(0)
        expect(await timers.countTimers(chainId, { tenant: 'shop' }, 5)).toBe(1)
      })

      test('are listed newest first, by what is asked for and within reach', async () => {
        const { chainId, lease, lane } = await open()
        const made = []
        for (const digits of ['a1', 'a2', 'a3'])
          made.push(await startTimer(timers, lease, anySpec(lane, { target: `0x${digits.repeat(20)}` })))
        const [first, second, third] = made
        const list = async (filter: object, before: number | null = null, limit = 10) =>
          (await timers.listTimers({ chainId, ...filter }, { before, limit })).map(({ id }) => id)
        expect(await list({})).toEqual([third?.id, second?.id, first?.id])
        expect(await list({}, null, 2)).toEqual([third?.id, second?.id])
        expect(await list({}, second?.place ?? 0)).toEqual([first?.id])
        expect(await list({ target: `0x${'a2'.repeat(20)}` })).toEqual([second?.id])
        expect(await list({ owner: lane.signer, states: ['ACTIVE'] })).toHaveLength(3)
        expect(await list({ states: ['PAUSED'] })).toEqual([])
        expect(await list({ reach: { signers: [`0x${'99'.repeat(20)}`], chains: null } })).toEqual([])
        expect(await list({ reach: { signers: null, chains: [chainId] } })).toHaveLength(3)
      })

      test('a resumed timer continues under another kernel id, and keeps its count', async () => {
        const { lease, lane } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const { id, kernelId, spec } = timer
        const change = { kernelId, isLive: true, dueHeight: 20, fireSeq: 2, ended: null }
        await writeBlock(timers, lease, anyBlock(11), { changes: [change] })
        await acceptCommand(timers, lease, { type: 'pause', timerId: id, kernelId, spec })
        const started = { timerId: id, kernelId: anyHash(), dueHeight: 30 }
        await acceptCommand(timers, lease, { type: 'set', timerId: id, spec, label: null }, started)
        expect(await timers.findTimer(id)).toMatchObject({ state: 'ACTIVE', dueHeight: 30, fireCount: 2 })
        const again = { kernelId: started.kernelId, isLive: true, dueHeight: 35, fireSeq: 1, ended: null }
        await writeBlock(timers, lease, anyBlock(12), { changes: [again] })
        expect(await timers.findTimer(id)).toMatchObject({ kernelId: started.kernelId, fireCount: 3, dueHeight: 35 })
        expect(await timers.readIncarnations([kernelId, started.kernelId])).toHaveLength(2)
      })

      test('a new schedule continues under another kernel id, with the count it had', async () => {
        const { lease, lane } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane, { maxFailures: 3 }))
        const { id, kernelId } = timer
        const change = { kernelId, isLive: true, dueHeight: 20, fireSeq: 2, ended: null }
        await writeBlock(timers, lease, anyBlock(11), { changes: [change] })
        const spec = { ...timer.spec, schedule: { type: 'timeout', dueHeight: 40 } as const }
        const started = { timerId: id, kernelId: anyHash(), dueHeight: 40 }
        const command = { type: 'reschedule', timerId: id, kernelId, spec, isNext: false } as const
        await acceptCommand(timers, lease, command, started)
        expect(await timers.findTimer(id)).toMatchObject({
          kernelId: started.kernelId,
          dueHeight: 40,
          spec,
          state: 'ACTIVE',
          fireCount: 2,
        })
        expect((await timers.loadTimers(lease.chainId)).commands.at(-1)?.command).toMatchObject({ spec })
        expect(await timers.readIncarnations([kernelId, started.kernelId])).toHaveLength(2)
      })

      test('one by cron that has fired is between its times, until its next time is set', async () => {
        const { lease, lane, chainId } = await open()
        const schedule = { type: 'cron', line: '0 9 * * *', timeMs: 1_700_000_000_000, dueHeight: 11 } as const
        const timer = await startTimer(timers, lease, anySpec(lane, { schedule }))
        await startTimer(timers, lease, anySpec(lane))
        const { id, kernelId } = timer
        expect(await timers.listBetweenTimes(chainId, 10)).toEqual([])
        const ended = { state: 'ACTIVE', reason: null } as const
        const change = { kernelId, isLive: false, dueHeight: null, fireSeq: 1, ended }
        await writeBlock(timers, lease, anyBlock(11), { changes: [change] })
        const [spent, ...others] = await timers.listBetweenTimes(chainId, 10)
        expect(others).toEqual([])
        expect(spent).toMatchObject({ id, kernelId, state: 'ACTIVE', dueHeight: null, spec: { schedule } })
        const list = async (states: readonly TimerState[]) =>
          (await timers.listTimers({ chainId, states }, { before: null, limit: 10 })).map((each) => each.id)
        expect(await list(['ACTIVE'])).toContain(id)
        expect(await list(['DONE'])).toEqual([])
        expect(await timers.countTimers(chainId, { tenant: '' }, 10)).toBe(2)
        const spec = { ...timer.spec, schedule: { ...schedule, dueHeight: 90 } }
        const started = { timerId: id, kernelId: anyHash(), dueHeight: 90 }
        const command = { type: 'reschedule', timerId: id, kernelId, spec, isNext: true } as const
        await acceptCommand(timers, lease, command, started)
        expect(await timers.listBetweenTimes(chainId, 10)).toEqual([])
        expect(await timers.findTimer(id)).toMatchObject({ state: 'ACTIVE', dueHeight: 90, fireCount: 1, spec })
      })

      test('one that ended says how; one that was paused stays so', async () => {
        const { lease, lane } = await open()
        const [spent, paused] = [
          await startTimer(timers, lease, anySpec(lane)),
          await startTimer(timers, lease, anySpec(lane)),
        ]
        await acceptCommand(timers, lease, {
          type: 'pause',
          timerId: paused.id,
          kernelId: paused.kernelId,
          spec: paused.spec,
        })
        const end = (kernelId: typeof spent.kernelId) => ({
          kernelId,
          isLive: false,
          dueHeight: null,
          fireSeq: 1,
          ended: { state: 'EVICTED', reason: 'gas_below_minimum' } as const,
        })
        await writeBlock(timers, lease, anyBlock(11), { changes: [end(spent.kernelId), end(paused.kernelId)] })
        expect(await timers.findTimer(spent.id)).toMatchObject({ state: 'EVICTED', endReason: 'gas_below_minimum' })
        expect(await timers.findTimer(paused.id)).toMatchObject({ state: 'PAUSED', endReason: null })
      })
    })

    describe('blocks and fires', () => {
      test('a fire that was not held against the rules that bind it is not stored, nor is anything with it', async () => {
        const { lease, lane, chainId } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const block = anyBlock(11)
        const fire = anyFire(timer, block)
        const handOff = await handOffOf(timers, fire)
        const subject = signerSubject(lane.signer)
        await store.putRules(subject, NO_RULES, 'tests')
        const write = (handOffs: readonly HandOff[]) => writeBlock(timers, lease, block, { fires: [fire], handOffs })
        expect(await write([handOff])).toEqual({ type: 'not_judged' })
        expect(await timers.readTip(chainId)).toMatchObject({ height: 10 })
        expect(await queuedOf(lane)).toEqual([])
        const judged = { ...handOff.transaction, judgedBy: [subject] }
        expect(await write([{ ...handOff, transaction: judged }])).toEqual({ type: 'written' })
        expect(await queuedOf(lane)).toMatchObject([{ id: judged.id }])
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toMatchObject([{ state: 'QUEUED' }])
      })

      test('a fire waits as OBSERVED, and is then handed over as one queued transaction', async () => {
        const { lease, lane, chainId } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane), { tenant: 'shop' })
        const block = anyBlock(11, { keys: [`0x${'ab'.repeat(21)}`] })
        const fire = anyFire(timer, block)
        expect(await writeBlock(timers, lease, block, { fires: [fire] })).toEqual({ type: 'written' })
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toMatchObject([
          { ...fire, txId: null, txState: null, txError: null, isOrphaned: false, aliases: [] },
        ])
        const loaded = await timers.loadTimers(chainId)
        expect(loaded.observed).toMatchObject([fire])
        expect(loaded.blocks.at(-1)).toEqual(block)
        const handOff = await handOffOf(timers, fire)
        await writeBlock(timers, lease, anyBlock(12), { handOffs: [handOff] })
        const [queued, ...others] = await queuedOf(lane)
        expect(others).toEqual([])
        expect(queued).toMatchObject({ id: handOff.transaction.id, state: 'QUEUED' })
        expect(queued?.intent).toMatchObject({ requestId: fire.deliverId, to: fire.target, data: fire.data, value: 3n })
        const [handed] = await timers.listFires(timer.id, { before: null, limit: 10 })
        expect(handed).toMatchObject({ state: 'QUEUED', txId: queued?.id, txState: 'QUEUED' })
        expect((await timers.loadTimers(chainId)).observed).toEqual([])
        const history = await store.readHistory(queued?.id ?? '')
        expect(history).toMatchObject([{ toState: 'QUEUED' }])
        // Handed over again, by whatever mistake: nothing comes of it.
        await writeBlock(timers, lease, anyBlock(13), { handOffs: [await handOffOf(timers, fire)] })
        expect(await queuedOf(lane)).toHaveLength(1)
      })

      test('a fire can be written and handed over at once', async () => {
        const { lease, lane } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const block = anyBlock(11)
        const fire = anyFire(timer, block)
        await writeBlock(timers, lease, block, { fires: [fire], handOffs: [await handOffOf(timers, fire)] })
        const [tx] = await queuedOf(lane)
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toMatchObject([
          { deliverId: fire.deliverId, state: 'QUEUED', txId: tx?.id },
        ])
      })

      test('a fire of an earlier block can be handed over without a new one', async () => {
        const { lease, lane, chainId } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const block = anyBlock(11)
        const fire = anyFire(timer, block)
        await writeBlock(timers, lease, block, { fires: [fire] })
        const before = await timers.loadTimers(chainId)
        const handOffs = [await handOffOf(timers, fire)]
        const write = { blocks: [], handOffs, queue: { items: ['a'] } }
        expect(await writeBlock(timers, lease, block, { ...write, expected: anyBlock(11) })).toEqual({ type: 'stale' })
        expect(await writeBlock(timers, { ...lease, fence: 99 }, block, write)).toEqual({ type: 'fenced' })
        expect(await queuedOf(lane)).toEqual([])
        expect(await writeBlock(timers, lease, block, write)).toEqual({ type: 'written' })
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toMatchObject([{ state: 'QUEUED' }])
        expect(await queuedOf(lane)).toHaveLength(1)
        expect(await timers.loadTimers(chainId)).toEqual({ ...before, observed: [] })
        expect(await timers.readQueue(chainId)).toMatchObject({ queue: write.queue, hasObserved: false })
      })

      test('what became known about a condition is stored with its fire, which waits on or is skipped', async () => {
        const { lease, lane, chainId } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const block = anyBlock(11)
        const fires = [0, 1, 2, 3].map((n) => anyFire(timer, block, { position: n, fireSeq: n }))
        const [met, unmet, failed, sent] = fires
        if (met === undefined || unmet === undefined || failed === undefined || sent === undefined) throw new Error()
        await writeBlock(timers, lease, block, { fires, handOffs: [await handOffOf(timers, sent)] })
        const known = { outcome: 'met', value: 2n ** 256n - 1n, message: null } as const
        const low = { outcome: 'not_met', value: -3n, message: null } as const
        const broken = { outcome: 'failed', value: null, message: 'no' } as const
        const results = [
          { ...met, condition: known },
          { ...unmet, condition: low, skipReason: 'condition_not_met' as const },
          { ...failed, condition: broken, skipReason: 'condition_failed' as const },
          { ...sent, condition: low, skipReason: 'condition_not_met' as const },
        ].map(({ deliverId, blockHash, condition, skipReason }) => ({ deliverId, blockHash, condition, skipReason }))
        const read = () => timers.listFires(timer.id, { before: null, limit: 10 })
        const before = await read()
        expect(await timers.saveConditions({ ...lease, fence: 99 }, results)).toEqual({ type: 'fenced' })
        // The same fire at another block is another question.
        const elsewhere = results.map((result) => ({ ...result, blockHash: anyHash() }))
        expect(await timers.saveConditions(lease, elsewhere)).toEqual({ type: 'written' })
        expect(await read()).toEqual(before)
        expect(await timers.saveConditions(lease, results)).toEqual({ type: 'written' })
        expect(await read()).toMatchObject([
          { deliverId: sent.deliverId, state: 'QUEUED', skipReason: null, condition: null },
          { deliverId: failed.deliverId, state: 'SKIPPED', skipReason: 'condition_failed', condition: broken },
          { deliverId: unmet.deliverId, state: 'SKIPPED', skipReason: 'condition_not_met', condition: low },
          { deliverId: met.deliverId, state: 'OBSERVED', skipReason: null, condition: known },
        ])
        expect((await timers.loadTimers(chainId)).observed).toMatchObject([{ ...met, condition: known }])
        // What is skipped stays so.
        const late = results.map((result) => ({ ...result, condition: known, skipReason: null }))
        const after = await read()
        expect(await timers.saveConditions(lease, late)).toEqual({ type: 'written' })
        expect(await read()).toEqual(after)
        const [handed] = [await handOffOf(timers, met)]
        await writeBlock(timers, lease, anyBlock(12), { handOffs: [handed] })
        const [queued] = (await read()).filter(({ deliverId }) => deliverId === met.deliverId)
        expect(queued).toMatchObject({ state: 'QUEUED', condition: known })
      })

      test('a write that was decided on another block changes nothing', async () => {
        const { lease, lane } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const block = anyBlock(11)
        const fire = anyFire(timer, block)
        const handOffs = [await handOffOf(timers, fire)]
        for (const expected of [null, { height: 10, hash: anyHash() }, { height: 9, hash: anyHash() }])
          expect(await writeBlock(timers, lease, block, { fires: [fire], handOffs, expected })).toEqual({
            type: 'stale',
          })
        expect(await queuedOf(lane)).toEqual([])
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toEqual([])
      })

      test('fires of dropped blocks vanish; one that became a transaction is an orphan until it recurs [G10]', async () => {
        const { lease, lane, chainId } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const [sentBlock, seenBlock] = [anyBlock(11), anyBlock(12)]
        const sent = anyFire(timer, sentBlock)
        const seen = anyFire(timer, seenBlock, { fireSeq: 1 })
        const handOffs = [await handOffOf(timers, sent)]
        await writeBlock(timers, lease, sentBlock, { fires: [sent], handOffs })
        await writeBlock(timers, lease, seenBlock, { fires: [seen] })
        const other = [anyBlock(11), anyBlock(12)]
        await writeBlock(timers, lease, anyBlock(11), { rewindTo: 10, blocks: other })
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toMatchObject([
          { deliverId: sent.deliverId, isOrphaned: true, state: 'QUEUED' },
        ])
        expect((await timers.loadTimers(chainId)).blocks.slice(-2)).toEqual(other)
        const block = anyBlock(13)
        const again = anyFire(timer, block, { fireKey: sent.fireKey })
        await writeBlock(timers, lease, block, { fires: [again], handOffs: [await handOffOf(timers, again)] })
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toMatchObject([
          {
            deliverId: sent.deliverId,
            aliases: [again.deliverId],
            isOrphaned: false,
            height: 13,
            blockHash: block.hash,
          },
        ])
        expect(await queuedOf(lane)).toHaveLength(1)
      })

      test('a fire shows the state of its transaction; one that was withdrawn and cancelled fires anew [G10]', async () => {
        const { lease, lane, chainId } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const before = anyBlock(11)
        const [kept, withdrawn] = [anyFire(timer, before), anyFire(timer, before, { position: 1, fireSeq: 1 })]
        const handOffs = [await handOffOf(timers, kept), await handOffOf(timers, withdrawn)]
        await writeBlock(timers, lease, before, { fires: [kept, withdrawn], handOffs })
        const [keptTx, withdrawnTx] = handOffs.map(({ transaction }) => transaction.id)
        // Cancelled while its block stood: somebody wanted that, and it stays so.
        await cancelQueued(store, keptTx ?? '')
        expect(await timers.listWithdrawn(chainId, 10)).toEqual([])
        await writeBlock(timers, lease, anyBlock(11), { rewindTo: 10 })
        expect(await timers.listWithdrawn(chainId, 10)).toEqual([withdrawnTx])
        await cancelQueued(store, withdrawnTx ?? '')
        expect(await timers.listWithdrawn(chainId, 10)).toEqual([])
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toMatchObject([
          { deliverId: withdrawn.deliverId, isOrphaned: true, state: 'QUEUED', txState: 'CANCELLED' },
          { deliverId: kept.deliverId, isOrphaned: true, state: 'QUEUED', txState: 'CANCELLED', txError: null },
        ])
        const block = anyBlock(12)
        const again = [kept, withdrawn].map(({ fireKey, fireSeq, position }) =>
          anyFire(timer, block, { fireKey, fireSeq, position }),
        )
        const more = [await handOffOf(timers, again[0] ?? kept), await handOffOf(timers, again[1] ?? kept)]
        await writeBlock(timers, lease, block, { fires: again, handOffs: more })
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toMatchObject([
          {
            deliverId: again[1]?.deliverId,
            aliases: [withdrawn.deliverId],
            isOrphaned: false,
            txId: more[1]?.transaction.id,
            txState: 'QUEUED',
          },
          { deliverId: kept.deliverId, aliases: [again[0]?.deliverId], txId: keptTx, txState: 'CANCELLED' },
        ])
        expect((await queuedOf(lane)).map(({ state }) => state)).toEqual(['CANCELLED', 'CANCELLED', 'QUEUED'])
      })

      test('a withdrawn fire that recurs before its transaction is cancelled keeps it [G10]', async () => {
        const { lease, lane, chainId } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const before = anyBlock(11)
        const fire = anyFire(timer, before)
        await writeBlock(timers, lease, before, { fires: [fire], handOffs: [await handOffOf(timers, fire)] })
        await writeBlock(timers, lease, anyBlock(11), { rewindTo: 10 })
        expect(await timers.listWithdrawn(chainId, 10)).toHaveLength(1)
        const block = anyBlock(12)
        const again = anyFire(timer, block, { fireKey: fire.fireKey })
        await writeBlock(timers, lease, block, { fires: [again], handOffs: [await handOffOf(timers, again)] })
        expect(await timers.listWithdrawn(chainId, 10)).toEqual([])
        expect(await queuedOf(lane)).toHaveLength(1)
      })

      test('the queue is read as the last block or command left it', async () => {
        const { lease, lane, chainId } = await open()
        expect(await timers.readQueue(chainId)).toBeNull()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const block = anyBlock(11)
        await writeBlock(timers, lease, block, { queue: { items: ['a'] } })
        const tip = { height: 11, hash: block.hash, stateRoot: block.stateRoot }
        expect(await timers.readQueue(chainId)).toEqual({ tip, queue: { items: ['a'] }, hasObserved: false })
        const params = { type: 'params', change: { maxFiresPerBlock: 1 } } as const
        await acceptCommand(timers, lease, params, null, { queue: { items: ['b'] } })
        expect(await timers.readQueue(chainId)).toEqual({ tip, queue: { items: ['b'] }, hasObserved: false })
        const next = anyBlock(12)
        await writeBlock(timers, lease, next, { fires: [anyFire(timer, next)] })
        expect(await timers.readQueue(chainId)).toMatchObject({ queue: null, hasObserved: true })
      })

      test('a fire that recurs in the very write that drops its block keeps its transaction [G10]', async () => {
        const { lease, lane } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        const before = anyBlock(11)
        const [sent, seen] = [anyFire(timer, before), anyFire(timer, before, { position: 1, fireSeq: 1 })]
        await writeBlock(timers, lease, before, { fires: [sent, seen], handOffs: [await handOffOf(timers, sent)] })
        const block = anyBlock(11)
        const again = anyFire(timer, block, { fireKey: sent.fireKey })
        const [lasting] = [anyFire(timer, block, { fireKey: seen.fireKey, fireSeq: 1, position: 1 })]
        const handOffs = [await handOffOf(timers, again), await handOffOf(timers, lasting)]
        await writeBlock(timers, lease, block, { rewindTo: 10, fires: [again, lasting], handOffs })
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toMatchObject([
          { deliverId: lasting.deliverId, state: 'QUEUED', aliases: [] },
          { deliverId: sent.deliverId, aliases: [again.deliverId], isOrphaned: false, blockHash: block.hash },
        ])
        expect(await queuedOf(lane)).toHaveLength(2)
        // Back on the first branch: the first name again, and still no other transaction.
        const back = { ...sent, blockHash: before.hash }
        await writeBlock(timers, lease, before, {
          rewindTo: 10,
          fires: [back],
          handOffs: [await handOffOf(timers, back)],
        })
        const fires = await timers.listFires(timer.id, { before: null, limit: 10 })
        expect(fires.find(({ deliverId }) => deliverId === sent.deliverId)).toMatchObject({
          isOrphaned: false,
          aliases: [again.deliverId],
          blockHash: before.hash,
        })
        expect(fires.find(({ deliverId }) => deliverId === lasting.deliverId)).toMatchObject({ isOrphaned: true })
        expect(await queuedOf(lane)).toHaveLength(2)
      })

      test('while earlier fires are on their way, those past the bound are skipped', async () => {
        const { lease, lane } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane, { overlap: 'skip' }))
        const block = anyBlock(11)
        const [first, second] = [anyFire(timer, block), anyFire(timer, block, { position: 1, fireSeq: 1 })]
        const handOffs = [await handOffOf(timers, first), await handOffOf(timers, second)]
        await writeBlock(timers, lease, block, { fires: [first, second], handOffs })
        const later = anyBlock(12)
        const third = anyFire(timer, later, { fireSeq: 2 })
        await writeBlock(timers, lease, later, { fires: [third], handOffs: [await handOffOf(timers, third)] })
        expect(await timers.listFires(timer.id, { before: null, limit: 10 })).toMatchObject([
          { deliverId: third.deliverId, state: 'SKIPPED', skipReason: 'overlap', txId: null },
          { deliverId: second.deliverId, state: 'SKIPPED', skipReason: 'overlap', txId: null },
          { deliverId: first.deliverId, state: 'QUEUED', skipReason: null },
        ])
        expect(await queuedOf(lane)).toHaveLength(1)
      })

      test('a signer with a full line gets no more', async () => {
        const { lease, lane } = await open()
        const [one, two] = [
          await startTimer(timers, lease, anySpec(lane)),
          await startTimer(timers, lease, anySpec(lane)),
        ]
        const block = anyBlock(11)
        const first = anyFire(one, block)
        await writeBlock(timers, lease, block, { fires: [first], handOffs: [await handOffOf(timers, first)] })
        const later = anyBlock(12)
        const second = anyFire(two, later)
        const handOffs = [await handOffOf(timers, second)]
        await writeBlock(timers, lease, later, { fires: [second], handOffs, maxQueued: 1 })
        expect(await timers.listFires(two.id, { before: null, limit: 10 })).toMatchObject([
          { state: 'SKIPPED', skipReason: 'queue_full' },
        ])
      })

      test('fires are listed newest first, page by page', async () => {
        const { lease, lane } = await open()
        const timer = await startTimer(timers, lease, anySpec(lane))
        for (const height of [11, 12, 13]) {
          const block = anyBlock(height)
          const condition = { outcome: 'not_met', value: -(2n ** 255n), message: null } as const
          const skipped = { state: 'SKIPPED', skipReason: 'condition_not_met', condition } as const
          const fires = [anyFire(timer, block), anyFire(timer, block, { position: 1, ...skipped })]
          await writeBlock(timers, lease, block, { fires })
        }
        const page = async (before: { height: number; position: number } | null) =>
          (await timers.listFires(timer.id, { before, limit: 4 })).map((fire) => [fire.height, fire.position])
        expect(await page(null)).toEqual([
          ...[
            [13, 1],
            [13, 0],
            [12, 1],
            [12, 0],
          ],
        ])
        expect(await page({ height: 12, position: 0 })).toEqual([
          ...[
            [11, 1],
            [11, 0],
          ],
        ])
        const [newest] = await timers.listFires(timer.id, { before: null, limit: 1 })
        expect(newest?.condition).toEqual({ outcome: 'not_met', value: -(2n ** 255n), message: null })
      })
    })

    describeTimerCosts({ get: () => ({ timers, store }), open, queuedOf })

    describe('loading', () => {
      test('gives what was written, and after a snapshot only what came since', async () => {
        const { lease, lane, chainId } = await open()
        expect(await timers.loadTimers(chainId)).toEqual({
          tip: null,
          lastSeq: 0,
          snapshot: null,
          blocks: [],
          commands: [],
          observed: [],
        })
        const first = anyBlock(10)
        await writeBlock(timers, lease, first)
        const timer = await startTimer(timers, lease, anySpec(lane))
        const second = anyBlock(11, { keys: [`0x${'ab'.repeat(21)}`, `0x${'ac'.repeat(30)}`] })
        await writeBlock(timers, lease, second)
        const before = await timers.loadTimers(chainId)
        expect(before).toMatchObject({ lastSeq: 1, snapshot: null, blocks: [first, second] })
        expect(before.tip).toEqual({ height: 11, hash: second.hash, stateRoot: second.stateRoot })
        expect(before.commands).toMatchObject([{ seq: 1, height: 10, command: { type: 'set', spec: timer.spec } }])
        const chunks = [Buffer.from('one'), Buffer.from('two'), Buffer.alloc(3_000_000, 7)]
        const snapshot = { block: first, seq: 1, chunks, params: { a: '1' } }
        expect(await timers.saveSnapshot(lease, snapshot)).toEqual({ type: 'written' })
        const after = await timers.loadTimers(chainId)
        expect(after).toMatchObject({ lastSeq: 1, blocks: [second], commands: [] })
        expect(after.snapshot).toMatchObject({ block: first, seq: 1, params: { a: '1' } })
        expect(after.snapshot?.chunks.map((chunk) => Buffer.from(chunk).toString('latin1'))).toEqual(
          chunks.map((chunk) => chunk.toString('latin1')),
        )
        await timers.saveSnapshot(lease, { block: second, seq: 1, chunks: chunks.slice(0, 1), params: {} })
        expect((await timers.loadTimers(chainId)).snapshot?.chunks).toHaveLength(1)
        expect(await timers.saveSnapshot({ ...lease, fence: 99 }, snapshot)).toEqual({ type: 'fenced' })
      })
    })
  })
}
