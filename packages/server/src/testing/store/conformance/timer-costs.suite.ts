/** What fires have cost, what becomes of timers whose transactions revert, and of fires that nobody can pay. */
import { describe, expect, test } from 'vitest'
import type { Lane } from '../../../core/lane/lane.ts'
import type { Finished, Queued, Transaction } from '../../../core/transaction/transaction.ts'
import type { Store } from '../../../ports/store.ts'
import type { TimerLease, TimerStore } from '../../../ports/timer-store.ts'
import { acceptCommand, anyBlock, anyFire, anySpec, handOffOf, startTimer, writeBlock } from '../sample-timers.ts'
import { acquire, toAllocated, toConfirmed, toSave, toWrite, write } from '../samples.ts'

interface CostScene {
  get(): { readonly timers: TimerStore; readonly store: Store }
  /** A chain of its own with a signer, and the lease of its timers. */
  open(): Promise<{ readonly lease: TimerLease; readonly lane: Lane; readonly chainId: number }>
  queuedOf(lane: Lane): Promise<readonly Transaction[]>
}

export function describeTimerCosts({ get, open, queuedOf }: CostScene): void {
  describe('costs', () => {
    test('what fires have cost is shown once they are final, added up or not, and counted once', async () => {
      const { timers, store } = get()
      const { lease, lane } = await open()
      const timer = await startTimer(timers, lease, anySpec(lane))
      const block = anyBlock(11)
      const fires = [0, 1, 2].map((position) => anyFire(timer, block, { position, fireSeq: position }))
      const handOffs = await Promise.all(fires.map((fire) => handOffOf(timers, fire)))
      await writeBlock(timers, lease, block, { fires, handOffs })
      const costOf = async () => (await timers.findTimer(timer.id))?.cost
      expect(await costOf()).toEqual({ sent: 0, reverted: 0, failures: 0, gasUsed: 0n, feesPaid: 0n })
      const own = await acquire(store, lane)
      const allocated = await Promise.all(
        (await queuedOf(lane)).map(async (tx, nonce) => {
          const [sent] = await write(store, own, [[tx, toAllocated(tx as Queued, nonce, own)]])
          if (sent === undefined) throw new Error('nothing was allocated')
          return sent
        }),
      )
      const [first, second, third] = allocated.map((tx) => [tx, toConfirmed(tx)] as const)
      if (first === undefined || second === undefined || third === undefined) throw new Error('too few')
      const reverted = { ...second[1], state: 'FAILED_FINAL' as const }
      await write<Finished>(store, own, [first, [second[0], reverted]])
      const two = { sent: 2, reverted: 1, failures: 0, gasUsed: 42_000n, feesPaid: 42_000n * 12n }
      expect(await costOf()).toEqual(two)
      const place = { height: 11, position: 1 }
      expect(await timers.meterFires({ ...lease, fence: 99 }, null, 2)).toEqual({ type: 'fenced' })
      expect(await timers.meterFires(lease, null, 2)).toEqual({ type: 'metered', next: place, open: 0, retiring: 0 })
      expect(await costOf()).toEqual({ ...two, failures: 1 })
      expect(await timers.meterFires(lease, place, 2)).toEqual({
        type: 'metered',
        next: null,
        open: 1,
        retiring: 0,
      })
      expect(await costOf()).toEqual({ ...two, failures: 1 })
      await write<Finished>(store, own, [third])
      const three = { sent: 3, reverted: 1, failures: 0, gasUsed: 63_000n, feesPaid: 63_000n * 12n }
      expect(await costOf()).toEqual({ ...three, failures: 1 })
      for (let count = 0; count < 2; count++)
        expect(await timers.meterFires(lease, null, 2)).toEqual({
          type: 'metered',
          next: null,
          open: 0,
          retiring: 0,
        })
      expect(await costOf()).toEqual(three)
    })

    test('a fire shows why its transaction ended', async () => {
      const { timers, store } = get()
      const { lease, lane } = await open()
      const timer = await startTimer(timers, lease, anySpec(lane))
      const block = anyBlock(11)
      const fire = anyFire(timer, block)
      await writeBlock(timers, lease, block, { fires: [fire], handOffs: [await handOffOf(timers, fire)] })
      const fires = () => timers.listFires(timer.id, { before: null, limit: 10 })
      expect(await fires()).toMatchObject([{ txState: 'QUEUED', txError: null }])
      const [tx] = await queuedOf(lane)
      if (tx?.state !== 'QUEUED') throw new Error('it is not queued')
      const error = { code: 'reverted', message: 'it reverts', reason: 'Paused' }
      const ended = { ...tx, state: 'CANCELLED', subState: 'rejected', error, nonce: null, finalAt: 5 } as const
      await store.writeLanes([toWrite(await acquire(store, lane), [toSave(tx, ended, 'prepare.rejected')])])
      expect(await fires()).toMatchObject([{ txState: 'CANCELLED', txError: error }])
    })

    test('a timer that reverts too often in a row is to be retired, and stays so', async () => {
      const { timers, store } = get()
      const { lease, lane, chainId } = await open()
      const timer = await startTimer(timers, lease, anySpec(lane, { maxFailures: 2 }), { tenant: 'shop' })
      const own = await acquire(store, lane)
      let nonce = 0
      const fireAndEnd = async (height: number, state: 'CONFIRMED' | 'FAILED_FINAL') => {
        const block = anyBlock(height)
        const fire = anyFire(timer, block, { fireSeq: height })
        const handOff = await handOffOf(timers, fire)
        await writeBlock(timers, lease, block, { fires: [fire], handOffs: [handOff] })
        const tx = (await store.findTransaction(handOff.transaction.id)) as Queued
        const [sent] = await write(store, own, [[tx, toAllocated(tx, nonce++, own)]])
        if (sent === undefined) throw new Error('nothing was allocated')
        await write<Finished>(store, own, [[sent, { ...toConfirmed(sent), state }]])
        const metered = await timers.meterFires(lease, null, 10)
        return metered.type === 'metered' ? metered.retiring : null
      }
      expect(await fireAndEnd(11, 'FAILED_FINAL')).toBe(0)
      expect(await fireAndEnd(12, 'CONFIRMED')).toBe(0)
      expect(await fireAndEnd(13, 'FAILED_FINAL')).toBe(0)
      expect(await timers.readPendingCommands(chainId, 10)).toEqual([])
      expect(await fireAndEnd(14, 'FAILED_FINAL')).toBe(1)
      const [asked, ...others] = await timers.readPendingCommands(chainId, 10)
      expect(others).toEqual([])
      const { id: timerId, kernelId, spec } = timer
      const terms = { owner: spec.owner, target: spec.target }
      const command = { type: 'retire', timerId, kernelId, tenant: 'shop', failures: 2, spec: terms } as const
      expect(asked).toMatchObject({ command, answer: null })
      await acceptCommand(timers, lease, command)
      const retired = { state: 'RETIRED', endReason: 'too_many_failures', dueHeight: null }
      expect(await timers.findTimer(timerId)).toMatchObject(retired)
      const change = { kernelId, isLive: true, dueHeight: 20, fireSeq: 4, ended: null }
      await writeBlock(timers, lease, anyBlock(15), { changes: [change] })
      expect(await timers.findTimer(timerId)).toMatchObject(retired)
    })

    test('while a signer is out of funds, fires wait or are skipped, as their timer says', async () => {
      const { timers, store } = get()
      const { lease, lane } = await open()
      const [waiting, skipping] = [
        await startTimer(timers, lease, anySpec(lane)),
        await startTimer(timers, lease, anySpec(lane, { onLowFunds: 'skip' })),
      ]
      const own = await acquire(store, lane)
      const fireBoth = async (height: number) => {
        const block = anyBlock(height)
        const fires = [waiting, skipping].map((timer, position) => anyFire(timer, block, { position, fireSeq: height }))
        const handOffs = await Promise.all(fires.map((fire) => handOffOf(timers, fire)))
        await writeBlock(timers, lease, block, { fires, handOffs })
        await timers.meterFires(lease, null, 10)
        const newest = await Promise.all(
          [waiting, skipping].map(({ id }) => timers.listFires(id, { before: null, limit: 1 })),
        )
        return newest.flat().map(({ state, skipReason }) => skipReason ?? state)
      }
      expect(await fireBoth(11)).toEqual(['QUEUED', 'QUEUED'])
      const problem = { code: 'out_of_funds', since: 1, txId: null, nonce: null, count: null, detail: null } as const
      await write(store, own, [], { problems: [problem] })
      expect(await fireBoth(12)).toEqual(['QUEUED', 'low_funds'])
      expect(await fireBoth(13)).toEqual(['QUEUED', 'low_funds'])
      await write(store, own, [], { problems: [] })
      expect(await fireBoth(14)).toEqual(['QUEUED', 'QUEUED'])
    })

    test('a fire with several reasons to be skipped names the first: rule, funds, overlap, full queue', async () => {
      const { timers, store } = get()
      const { lease, lane } = await open()
      const timer = await startTimer(timers, lease, anySpec(lane, { onLowFunds: 'skip', overlap: 'skip' }))
      const own = await acquire(store, lane)
      const problem = { code: 'out_of_funds', since: 1, txId: null, nonce: null, count: null, detail: null } as const
      const fire = async (height: number, { isRefused = false, maxQueued = 1 } = {}) => {
        const block = anyBlock(height)
        const one = anyFire(timer, block, { fireSeq: height })
        const handOffs = [{ ...(await handOffOf(timers, one)), isRefused }]
        await writeBlock(timers, lease, block, { fires: [one], handOffs, maxQueued })
        const [newest] = await timers.listFires(timer.id, { before: null, limit: 1 })
        return newest?.skipReason ?? newest?.state
      }
      expect(await fire(11, { maxQueued: 0 })).toBe('queue_full')
      expect(await fire(12)).toBe('QUEUED')
      expect(await fire(13)).toBe('overlap')
      await write(store, own, [], { problems: [problem] })
      expect(await fire(14)).toBe('low_funds')
      expect(await fire(15, { isRefused: true })).toBe('refused_by_rule')
    })
  })
}
