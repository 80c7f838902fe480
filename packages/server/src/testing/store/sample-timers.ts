/** Timers for tests of what stores and shows them: made as their chain's owner would make them, without a kernel. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Address, Hash } from '../../core/hex.ts'
import type { Lane } from '../../core/lane/lane.ts'
import type { ManagedTimer, TimerSpec } from '../../core/timer/timer.ts'
import type { TimerCommand, TimerLabel } from '../../core/timer/timer-command.ts'
import { formHandOff } from '../../engine/timers/form-fire.ts'
import type {
  BlocksWrite,
  CommandsWrite,
  NewFire,
  TimerBlock,
  TimerLease,
  TimerStore,
} from '../../ports/timer-store.ts'

export function anyHash(): Hash {
  return `0x${randomBytes(32).toString('hex')}`
}

export function anySpec(lane: Lane, change: Partial<TimerSpec> = {}): TimerSpec {
  return {
    chainId: lane.chainId,
    owner: lane.signer,
    target: `0x${'cc'.repeat(20)}` as Address,
    schedule: { type: 'interval', everyBlocks: 5 },
    data: '0x01020304',
    gasLimit: 100_000n,
    bid: 7n,
    value: 3n,
    when: null,
    overlap: 'buffer',
    appendDeliverId: false,
    onLowFunds: 'wait',
    maxFailures: 0,
    maxFeeWei: null,
    ...change,
  }
}

export function anyLabel(change: Partial<TimerLabel> = {}): TimerLabel {
  return {
    tenant: '',
    name: 'sample',
    requestId: null,
    requestDigest: anyHash(),
    metadata: { job: 'one' },
    by: 'tests',
    ...change,
  }
}

export function anyBlock(height: number, change: Partial<TimerBlock> = {}): TimerBlock {
  const [hash, stateRoot, parentStateRoot] = [anyHash(), anyHash(), anyHash()]
  return { height, hash, stateRoot, parentStateRoot, keys: [], ...change }
}

const NO_CHANGE = { rewindTo: null, fires: [], changes: [], handOffs: [], maxQueued: 1_000, queue: null } as const

/** Writes one block on top of what is there. */
export async function writeBlock(
  store: TimerStore,
  lease: TimerLease,
  block: TimerBlock,
  change: Partial<BlocksWrite> = {},
) {
  const expected = await store.readTip(lease.chainId)
  return await store.writeBlocks({ ...NO_CHANGE, lease, expected, blocks: [block], ...change })
}

/** Asks for something and lets the owner accept it. */
export async function acceptCommand(
  store: TimerStore,
  lease: TimerLease,
  command: TimerCommand,
  started: CommandsWrite['results'][number]['started'] = null,
  change: Partial<CommandsWrite> = {},
) {
  const { chainId } = lease
  const id = randomUUID()
  await store.insertCommands(chainId, [{ id, command }], 100)
  const tip = await store.readTip(chainId)
  const { lastSeq } = await store.loadTimers(chainId)
  if (tip === null) throw new Error('no block was written')
  const kernelId = started?.kernelId ?? null
  const written = await store.writeCommands({
    lease,
    expected: tip,
    expectedSeq: lastSeq,
    changes: [],
    queue: null,
    results: [
      {
        id,
        answer: { type: 'accepted', kernelId },
        started,
        logged: { id, seq: lastSeq + 1, height: tip.height, command },
      },
    ],
    ...change,
  })
  return { id, written }
}

/** A timer that is there, on a chain that has a block. */
export async function startTimer(
  store: TimerStore,
  lease: TimerLease,
  spec: TimerSpec,
  label: Partial<TimerLabel> = {},
): Promise<ManagedTimer> {
  if ((await store.readTip(lease.chainId)) === null) await writeBlock(store, lease, anyBlock(10))
  const started = { timerId: randomUUID(), kernelId: anyHash(), dueHeight: 15 }
  await acceptCommand(store, lease, { type: 'set', timerId: started.timerId, spec, label: anyLabel(label) }, started)
  const timer = await store.findTimer(started.timerId)
  if (timer === null) throw new Error('the timer was not stored')
  return timer
}

export function anyFire(
  { id, kernelId, spec }: ManagedTimer,
  block: TimerBlock,
  change: Partial<NewFire> = {},
): NewFire {
  return {
    deliverId: anyHash(),
    fireKey: anyHash(),
    timerId: id,
    kernelId,
    fireSeq: 0,
    height: block.height,
    blockHash: block.hash,
    position: 0,
    owner: spec.owner,
    target: spec.target,
    data: spec.data,
    gasLimit: spec.gasLimit,
    bid: spec.bid,
    digest: anyHash(),
    state: 'OBSERVED',
    skipReason: null,
    trigger: { type: 'interval', dueHeight: block.height, matchedKeys: [], isTruncated: false },
    condition: null,
    ...change,
  }
}

export async function handOffOf(store: TimerStore, fire: NewFire) {
  const [incarnation] = await store.readIncarnations([fire.kernelId])
  if (incarnation === undefined) throw new Error('nobody knows the timer')
  return formHandOff(fire, incarnation, randomUUID())
}
