/** Conformance vectors of the timer kernel: inputs and the exact outputs, as JSON for implementations in other languages. */
import {
  applyDelivery,
  cancelTimer,
  createTimerState,
  DEFAULT_PARAMS,
  deliver,
  deliverIdOf,
  encodeEntry,
  entryDigestOf,
  fireKeyOf,
  type Hex,
  type MailboxEntry,
  mergeParams,
  setTimer,
  type TimerParams,
  type TimerState,
  timerIdOf,
  timersRoot,
  updateTimer,
} from '@drover/timers'

type Fields = Readonly<Record<string, unknown>>
interface VectorStep extends Fields {
  readonly do: 'params' | 'set' | 'update' | 'cancel' | 'block'
}

const addressOf = (n: number): Hex => `0x${n.toString(16).padStart(40, '0')}`
const ROOT: Hex = `0x${'11'.repeat(32)}`
const ONE = 1n << 96n

export function buildTimerVectors(): string {
  const histories = [...listExamples(), ...[1, 2, 3, 4, 5, 6].map((seed) => playRandomly(seed))]
  const vectors = { format: 'cip5-timer-vectors', version: 1, ids: listIds(), histories }
  return `${JSON.stringify(vectors, (_, value) => (typeof value === 'bigint' ? `${value}` : value), 1)}\n`
}

function listIds() {
  const timer = { chainId: 1n, owner: `0x${'aa'.repeat(20)}`, target: `0x${'bb'.repeat(20)}` } as const
  const last = (1n << 64n) - 1n
  const names = [
    { ...timer, source: 'counter', n: 0n },
    { ...timer, source: 'client', n: 0n },
    { ...timer, chainId: last, source: 'client', n: last },
  ] as const
  const fires = [
    { chainId: 1n, height: 100n, parentStateRoot: ROOT, timerId: timerIdOf(names[0]), fireSeq: 0 },
    { chainId: last, height: last, parentStateRoot: ROOT, timerId: timerIdOf(names[1]), fireSeq: 2 ** 32 - 1 },
  ] as const
  return {
    timerIds: names.map((input) => ({ input, output: timerIdOf(input) })),
    deliverIds: fires.map((input) => ({ input, output: deliverIdOf(input) })),
    fireKeys: fires.map(({ timerId, fireSeq }) => ({
      input: { timerId, fireSeq },
      output: fireKeyOf(timerId, fireSeq),
    })),
  }
}

/** Runs steps on the kernel and writes down what came of each. */
class History {
  readonly steps: VectorStep[] = []
  readonly name: string
  readonly chainId = 7n
  state: TimerState = createTimerState({ chainId: this.chainId })
  height = 0n
  #params: TimerParams = DEFAULT_PARAMS

  constructor(name: string, change: Partial<TimerParams> = {}) {
    this.name = name
    if (Object.keys(change).length > 0) this.params(change)
  }

  toJSON() {
    const { name, chainId, steps } = this
    return { name, chainId, steps }
  }

  params(change: Partial<TimerParams>): this {
    const merged = mergeParams(this.#params, change)
    if (merged.type === 'refused') throw new Error(merged.message)
    this.#params = merged.params
    this.steps.push({ do: 'params', change })
    return this
  }

  set(caller: Hex, args: Fields): Hex {
    const outcome = setTimer(this.state, this.#by(caller), args as unknown as Parameters<typeof setTimer>[2])
    return this.#keep({ do: 'set', caller, args }, outcome) ?? '0x'
  }

  update(caller: Hex, args: Fields): this {
    const outcome = updateTimer(this.state, this.#by(caller), args as unknown as Parameters<typeof updateTimer>[2])
    this.#keep({ do: 'update', caller, args }, outcome)
    return this
  }

  cancel(caller: Hex, target: Hex, timerId: Hex): this {
    const outcome = cancelTimer(this.state, this.#by(caller), { target, timerId })
    this.#keep({ do: 'cancel', caller, args: { target, timerId } }, outcome)
    return this
  }

  block(modifiedKeys: readonly Hex[] = [], balances?: Readonly<Record<Hex, bigint>>): this {
    this.height += 1n
    const { height } = this
    const funds =
      balances === undefined
        ? {}
        : { funds: { basefeeCycles: 1n, basefeeCells: 1n, balanceOf: (owner: Hex) => balances[owner] ?? 0n } }
    const delivery = deliver(this.state, {
      height,
      parentStateRoot: ROOT,
      modifiedKeys,
      params: this.#params,
      ...funds,
    })
    const { state, retired } = applyDelivery(this.state, delivery)
    this.state = state
    const expect = {
      entries: delivery.entries.map(presentEntry),
      evictions: delivery.evictions.map(({ type, timerId }) => ({ type, timerId })),
      carried: delivery.carried.keys,
      dropped: delivery.carried.clipped?.droppedKeys ?? [],
      retired: retired.map(({ timerId, reason }) => ({ timerId, reason })),
      root: timersRoot(state),
    }
    const terms = { height, parentStateRoot: ROOT, modifiedKeys, balances: balances ?? null }
    this.steps.push({ do: 'block', ...terms, expect })
    return this
  }

  #by(caller: Hex) {
    return { caller, height: this.height, params: this.#params }
  }

  #keep(step: VectorStep, outcome: object): Hex | null {
    const { type, code, timerId, cancelled, state } = outcome as Fields
    this.steps.push({ ...step, height: this.height, expect: { type, code, timerId, cancelled } })
    if (type !== 'refused') this.state = state as TimerState
    return (timerId as Hex | undefined) ?? null
  }
}

function presentEntry(entry: MailboxEntry) {
  return { ...entry, bytes: encodeEntry(entry), digest: entryDigestOf(entry) }
}

const terms = { payload: '0x', gasLimit: 10_000 }
const timeout = (target: Hex, dueHeight: number, more: Fields = {}) => ({
  kind: 'HEIGHT',
  target,
  dueHeight,
  ...terms,
  ...more,
})
const interval = (target: Hex, everyBlocks: number, more: Fields = {}) => ({
  kind: 'INTERVAL',
  target,
  everyBlocks,
  ...terms,
  ...more,
})

function listExamples(): History[] {
  const [a, b, c] = [addressOf(10), addressOf(11), addressOf(12)] as const
  const due = new History('a timeout fires at its height and is gone')
  due.set(a, timeout(a, 0))
  due.set(a, timeout(a, 2))
  due.block().block().block()

  const aging = new History('waiting outweighs a bid after 64 blocks', { maxFiresPerBlock: 0 })
  aging.set(a, timeout(a, 1))
  for (let n = 0; n < 64; n += 1) aging.block()
  aging.set(b, timeout(b, 65, { bidFp: ONE }))
  aging.params({ maxFiresPerBlock: 1 }).block().block()

  const turns = new History('four interval-1 targets share three slots evenly', { maxFiresPerBlock: 3 })
  for (let n = 0; n < 4; n += 1) turns.set(addressOf(n + 1), interval(addressOf(n + 1), 1))
  for (let n = 0; n < 12; n += 1) turns.block()

  const rotation = new History('every target before any target twice', { maxFiresPerBlock: 3, maxFiresPerTarget: 2 })
  for (const [target, bidFp] of [[a, 10], [a, 9], [b, 8], [c, 7]] as const) rotation.set(target, timeout(target, 1, { bidFp })) // biome-ignore format: a table
  rotation.block().block()

  const lane = new History('the lane holds eight of ten')
  for (let n = 1; n <= 10; n += 1) lane.set(addressOf(n), timeout(addressOf(n), 1, { gasLimit: 250_000 }))
  lane.block().block()

  const watch = new History('keys are carried when there are too many matches', { maxWatchMatchesPerBlock: 1 })
  watch.set(a, { kind: 'STATE_WATCH', target: a, watchKeys: [c], ...terms })
  watch
    .block([`${c}03`, `${c}01`, `${c}02`])
    .block()
    .block([`${b}01`])
    .block()

  const calls = new History('spellings, repeats, updates and cancels')
  const id = calls.set(`0x${b.slice(2).toUpperCase()}`, timeout(b, 9, { clientNonce: 5 }))
  calls.set(b, timeout(b, 9, { clientNonce: 5 }))
  calls.set(b, timeout(b, 8, { clientNonce: 5 }))
  calls.set(b, timeout(b, 9, { bidFp: ONE + 1n }))
  calls.set(b, { kind: 'HEIGHT', target: b, due_time: 5, ...terms })
  calls.update(b, { target: b, timerId: id, payload: '0x01' }).update(a, { target: b, timerId: id, payload: '0x02' })
  calls
    .cancel(a, b, id)
    .cancel(b, b, id)
    .cancel(b, b, id)
    .cancel(b, b, `0x${'00'.repeat(32)}`)
  calls.block()
  return [due, aging, turns, rotation, lane, watch, calls]
}

function playRandomly(seed: number): History {
  let word = seed
  const random = (below: number): number => {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0
    return (word >>> 8) % below
  }
  const history = new History(`random history ${seed}`, {
    maxFiresPerBlock: 1 + random(4),
    maxFiresPerTarget: 1 + random(3),
    bucketBounds: seed % 2 === 0 ? [] : [ONE / 4n],
    isolateUpdates: seed % 3 === 0,
    maxWatchMatchesPerBlock: 1 + random(4),
    maxCarryKeys: random(3),
    maxMatchedKeys: 2,
    dedupWindow: 4n,
  })
  const actors = [1, 2, 3, 4].map(addressOf) as [Hex, Hex, Hex, Hex]
  const pick = (): Hex => actors[random(4)] as Hex
  for (let block = 0; block < 20; block += 1) {
    for (let n = random(4); n > 0; n -= 1) {
      const owner = pick()
      const target = random(2) === 0 ? owner : pick()
      const more = {
        payload: `0x0${random(10)}`,
        gasLimit: 10_000 + random(3) * 5_000,
        bidFp: BigInt(random(5)) * (ONE / 4n),
      }
      const schedules: readonly Fields[] = [
        timeout(target, block + 1 + random(3), more),
        interval(target, 1 + random(3), more),
        { kind: 'STATE_WATCH', target, watchKeys: [pick()], ...more },
      ]
      history.set(owner, schedules[random(3)] as Fields)
    }
    const live = [...history.state.timers.values()]
    const timer = live[random(Math.max(1, live.length))]
    if (timer !== undefined && random(4) === 0) history.cancel(timer.owner, timer.target, timer.timerId)
    else if (timer !== undefined && random(3) === 0)
      history.update(timer.owner, { target: timer.target, timerId: timer.timerId, payload: `0x1${random(10)}` })
    const keys = Array.from({ length: random(4) }, (): Hex => `${pick()}0${random(3)}`)
    const balances = Object.fromEntries(actors.map((actor) => [actor, BigInt(random(4)) * 90_000n]))
    history.block(keys, seed % 2 === 0 ? balances : undefined)
  }
  return history
}
