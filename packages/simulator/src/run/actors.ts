/**
 * The users of the service: callers that repeat unanswered requests, holders of reserved nonces, operators, a reader of
 * the stream.
 */
import type { Finality } from '../../../server/src/core/chain/finality.ts'
import type { Address, Hash, Hex } from '../../../server/src/core/hex.ts'
import { type Lane, laneKey } from '../../../server/src/core/lane/lane.ts'
import { isTerminal, type TxId } from '../../../server/src/core/transaction/transaction.ts'
import type { Accepted } from '../../../server/src/engine/accept/accept.ts'
import type { AcceptRequest } from '../../../server/src/engine/accept/accept-request.ts'
import { createEventTail, type EventTail } from '../../../server/src/engine/wait/event-tail.ts'
import type { HistoryEntry } from '../../../server/src/ports/history.ts'
import { createSilentTelemetry } from '../../../server/src/testing/telemetry/recording-telemetry.ts'
import type { Chance } from '../chance.ts'
import { CHAIN_ID, GWEI, type Setup } from '../cluster/setup.ts'
import { type LiveNode, REVERTS, REVERTS_LATER, type World } from '../cluster/world.ts'

export interface Holding {
  readonly id: string
  readonly lane: Lane
  readonly nonce: number
  raw: Hex | null
  hash: Hash | null
}

export interface Actors {
  readonly ids: TxId[]
  readonly holdings: Holding[]
  submit(chance: Chance): string
  submitBatch(chance: Chance): string
  repeat(chance: Chance): string
  /** Callers repeat every unanswered request. */
  repeatAll(): void
  reserve(chance: Chance): string
  hold(chance: Chance): Promise<string>
  /** Holders behave: they send what they named until it is mined. */
  finishHolding(): Promise<void>
  follow(chance: Chance): string
  /** Reads on, at the reader's current node. */
  readOn(): void
}

export function createActors(world: World): Actors {
  const { watcher, lanes } = world
  const ids: TxId[] = []
  const known = new Set<TxId>()
  const unanswered = new Map<string, AcceptRequest>()
  const answered: AcceptRequest[] = []
  const holdings: Holding[] = []
  let requests = 0
  let reader: { readonly node: LiveNode; readonly tail: EventTail<HistoryEntry> } | null = null
  let cursor = 0
  let isReading = false

  function ask(node: LiveNode, request: AcceptRequest): void {
    noteAnswer(request, node.accept(request))
  }

  /** Several in one request: some of them twice, as a careless caller would. */
  function askTogether(node: LiveNode, requests: readonly AcceptRequest[]): void {
    const answers = node.acceptBatch(requests)
    for (const [place, request] of requests.entries()) {
      const own = answers.then((results) => {
        const result = results[place]
        if (result?.status === 'fulfilled') return result.value
        throw result?.reason
      })
      noteAnswer(request, own)
    }
  }

  function noteAnswer(request: AcceptRequest, answer: Promise<Accepted>): void {
    const key = `${request.tenant ?? ''}/${request.requestId}`
    unanswered.set(key, request)
    const asked = answer.then(
      ({ transaction }) => {
        if (unanswered.delete(key)) answered.push(request)
        watcher.accepted(key, transaction.id)
        if (known.has(transaction.id)) return
        known.add(transaction.id)
        ids.push(transaction.id)
      },
      (error: unknown) => {
        // Refused for good: nothing was stored. Everything else is repeated later.
        if (isRefusal(error)) unanswered.delete(key)
        throw error
      },
    )
    watcher.guard(asked, `accept ${key}`)
  }

  function anyRequest(chance: Chance): AcceptRequest {
    const kind = chance.below(14)
    const to = chance.pick(RECEIVERS)
    const from = chance.pick(lanes).signer
    const fees = {
      type: 'eip1559',
      maxFeePerGas: BigInt(2 + chance.below(60)) * GWEI,
      maxPriorityFeePerGas: BigInt(1 + chance.below(2)) * GWEI,
    } as const
    return {
      chainId: CHAIN_ID,
      from,
      to,
      data: '0x',
      value: BigInt(chance.below(1_000)),
      gasLimit: null,
      fees: null,
      speed: null,
      priority: null,
      validUntil: null,
      finality: null,
      simulate: null,
      metadata: {},
      requestId: `r${++requests}`,
      tenant: chance.pick(['ann', 'bob']),
      ...(kind < 2 && { fees }),
      ...(kind === 2 && { gasLimit: 20_000n, simulate: false }),
      ...(kind === 3 && { validUntil: world.state.now() + 1_000 + chance.below(20_000) }),
      ...(kind === 4 && { data: REVERTS_LATER }),
      ...(kind === 5 && { data: REVERTS, simulate: chance.hits(0.5) }),
      ...(kind === 6 && { priority: chance.below(3) - 1 }),
      ...(kind === 8 && { finality: anyFinality(chance, world.setup) }),
      ...(kind === 9 && { exactNonce: guessNonce(world, from, chance) }),
      ...(kind === 7 && { maxFeeWei: BigInt(1 + chance.below(100)) * 21_000n * GWEI }),
    }
  }

  function anyNode(chance: Chance): LiveNode | null {
    const running = [...world.nodes.values()].filter(({ process }) => !process.isFrozen())
    return running.length === 0 ? null : chance.pick(running)
  }

  async function take(node: LiveNode, lane: Lane, count: number, ttlMs: number): Promise<void> {
    const request = { lane, count, ttlMs, label: null, requestId: null, lockOwner: 'me' }
    const { reservations } = await node.reservations.reserve(request)
    for (const { id, nonce } of reservations)
      if (nonce !== null) holdings.push({ id, lane, nonce, raw: null, hash: null })
  }

  /** Signs once: with two transactions for one nonce, a holder would compete with itself. */
  async function sign(holding: Holding): Promise<{ readonly raw: Hex; readonly hash: Hash }> {
    if (holding.raw === null || holding.hash === null)
      Object.assign(holding, await world.signElsewhere(holding.lane, holding.nonce, holding.lane.signer, 7n))
    const { raw, hash } = holding
    if (raw === null || hash === null) throw new Error('it was signed just now')
    return { raw, hash }
  }

  function readOn(): void {
    if (reader === null || isReading || !reader.node.process.isAlive() || !world.nodes.has(reader.node.nodeId)) return
    const { tail, node } = reader
    const kept = tail.readAfter(cursor, 100)
    if (kept !== null) {
      takeIn(kept)
      return
    }
    isReading = true
    const page = node.store.readEvents(cursor, 50).then((events) => {
      isReading = false
      takeIn(events)
    })
    watcher.guard(
      page.catch((error: unknown) => {
        isReading = false
        throw error
      }),
      'read events',
    )
  }

  function takeIn(events: readonly HistoryEntry[]): void {
    for (const { eventId } of events) {
      watcher.read(eventId)
      cursor = eventId
    }
  }

  return {
    ids,
    holdings,
    submit(chance) {
      const node = anyNode(chance)
      if (node === null) return 'submit: nobody runs'
      const count = 1 + chance.below(3)
      for (let at = 0; at < count; at++) {
        const request = anyRequest(chance)
        if (hasRoom(world, request.from)) ask(node, request)
      }
      return `submit ${count} to ${node.nodeId}`
    },
    submitBatch(chance) {
      const node = anyNode(chance)
      if (node === null) return 'batch: nobody runs'
      const requests = Array.from({ length: 2 + chance.below(6) }, () => anyRequest(chance))
      if (requests.some(({ from }) => !hasRoom(world, from))) return 'batch: no room'
      askTogether(node, chance.hits(0.3) ? [...requests, chance.pick(requests)] : requests)
      return `batch of ${requests.length} to ${node.nodeId}`
    },
    repeat(chance) {
      const node = anyNode(chance)
      if (node === null || answered.length === 0) return 'repeat nothing'
      const request = chance.pick(answered)
      ask(node, request)
      return `repeat ${request.requestId} at ${node.nodeId}`
    },
    repeatAll() {
      const [node] = world.nodes.values()
      if (node !== undefined) for (const request of [...unanswered.values()]) ask(node, request)
    },
    reserve(chance) {
      const node = anyNode(chance)
      if (node === null) return 'reserve: nobody runs'
      const [lane, count, ttlMs] = [chance.pick(lanes), 1 + chance.below(2), 3_000 + chance.below(9_000)]
      watcher.guard(take(node, lane, count, ttlMs), 'reserve')
      return `reserve ${count} of ${lane.signer.slice(0, 4)} for ${ttlMs} ms at ${node.nodeId}`
    },
    async hold(chance) {
      const node = anyNode(chance)
      if (node === null || holdings.length === 0) return 'hold nothing'
      const holding = chance.pick(holdings)
      const act = chance.below(5)
      if (act === 0 && holding.raw === null) {
        watcher.guard(node.reservations.act(holding.id, 'me', { type: 'release' }), 'release')
        return `release nonce ${holding.nonce}`
      }
      const row = (await world.store.findReservations([holding.id]))[0]
      const isOver = !row || row.finalAt !== null || row.lockedUntil <= world.state.now() || row.state !== 'RESERVED'
      if (isOver && holding.raw === null) return `hold: nonce ${holding.nonce} is over`
      const { raw, hash } = await sign(holding)
      const use = node.reservations.act(holding.id, 'me', { type: 'use', hash })
      watcher.guard(use, 'use')
      if (act < 4) await world.sendElsewhere(raw)
      return `use nonce ${holding.nonce}${act < 4 ? ' and send it' : ''}`
    },
    async finishHolding() {
      const [node] = world.nodes.values()
      for (const holding of holdings) {
        const row = (await world.store.findReservations([holding.id]))[0]
        if (!row || row.finalAt !== null || row.inclusion !== null || holding.raw === null || node === undefined)
          continue
        await world.sendElsewhere(holding.raw)
        if (row.state === 'RESERVED' && holding.hash !== null)
          watcher.guard(node.reservations.act(holding.id, 'me', { type: 'use', hash: holding.hash }), 'use')
      }
    },
    follow(chance) {
      const node = anyNode(chance)
      if (node === null) return 'follow: nobody runs'
      reader?.tail.close()
      isReading = false
      const tail = createEventTail<HistoryEntry>({
        store: node.store,
        clock: node.process.clock,
        telemetry: createSilentTelemetry(),
        capacity: 30,
        prepare: (entry) => entry,
      })
      reader = { node, tail }
      tail.follow(readOn)
      return `follow the stream at ${node.nodeId}`
    },
    readOn,
  }
}

/** At least as strict as the chain's own: what is final sooner could be undone by a reorg. */
function anyFinality(chance: Chance, { safeDepth }: Setup): Finality {
  const count = safeDepth + chance.below(4)
  return chance.pick<Finality>([{ type: 'safe' }, { type: 'finalized' }, { type: 'confirmations', count }])
}

/** What a wallet would name that counts for itself: mostly the next one, sometimes too low or too high. */
function guessNonce({ state, network }: World, signer: Address, chance: Chance): number {
  const lane = state.lanes.get(laneKey({ chainId: network.chainId, signer }))
  let queued = 0
  for (const { tx } of lane?.transactions.values() ?? []) if (tx.state === 'QUEUED') queued++
  return Math.max(0, (lane?.cursor ?? 0) + queued + chance.pick([0, 0, 0, 1, -1]))
}

const RECEIVERS: readonly Address[] = ['b1', 'b2', 'b3'].map((byte) => `0x${byte.repeat(20)}` as const)
const REFUSALS = new Set(['transaction_rejected', 'invalid_request', 'fee_too_high', 'idempotency_conflict'])

function isRefusal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && REFUSALS.has(String(error.code))
}

/** Callers wait for earlier sends: a signer that sends one at a time would need hours for a long queue. */
function hasRoom({ state, network }: World, signer: Address): boolean {
  const lane = state.lanes.get(laneKey({ chainId: network.chainId, signer }))
  if (lane === undefined) return false
  const { maxInFlight } = lane.signer.policy
  let open = 0
  for (const { tx } of lane.transactions.values()) if (!isTerminal(tx)) open++
  return open < (maxInFlight === 'auto' ? 30 : 4 * maxInFlight)
}
