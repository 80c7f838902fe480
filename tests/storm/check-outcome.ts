/** Compares what was requested with the chain and the database: each once, none twice, no nonce missing. */
import type { MinedTx, Outcome, StoredTx } from './read-outcome.ts'
import type { Asked, StormLog } from './storm-log.ts'

/** Each is a list of sentences; all are empty if every guarantee held. */
export interface Violations {
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  readonly gaps: readonly string[]
  readonly wrongStates: readonly string[]
  readonly foreign: readonly string[]
  readonly missedEvents: readonly string[]
  readonly refused: readonly string[]
  readonly broken: readonly string[]
}

export function checkOutcome(log: StormLog, outcome: Outcome): Violations {
  const ran = groupBy(outcome.mined, ({ marker }) => marker)
  const stored = groupBy(outcome.transactions, ({ marker }) => marker)
  const asked = [...log.asked.values()]
  return {
    lost: [...asked.flatMap((one) => findLost(one, stored, ran)), ...findLostOwn(log, ran)],
    doubled: findDoubled(stored, ran),
    gaps: findGaps(outcome),
    wrongStates: outcome.transactions.flatMap((tx) => findWrongState(tx, log.asked.get(tx.marker), ran)),
    foreign: findForeign(log, outcome),
    missedEvents: findMissedEvents(log, outcome),
    refused: log.refused,
    broken: log.broken,
  }
}

type By<T> = ReadonlyMap<string, readonly T[]>

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): By<T> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

function findLost(asked: Asked, stored: By<StoredTx>, ran: By<MinedTx>): readonly string[] {
  if (!asked.accepted) return []
  const row = stored.get(asked.marker)?.[0]
  if (row === undefined) return [`${asked.marker} (${asked.path}) was accepted, and is not stored`]
  const isLost = row.state === 'CONFIRMED' && !ran.has(asked.marker)
  return isLost ? [`${row.id} is CONFIRMED, and not on the chain`] : []
}

function findLostOwn({ own }: StormLog, ran: By<MinedTx>): readonly string[] {
  const mined = new Set([...ran.values()].flat().map(({ hash }) => hash))
  return own.flatMap(({ hash }) => (mined.has(hash) ? [] : [`${hash}, under a reserved nonce, is not on the chain`]))
}

/** Empty call data: cancels and fills. */
function findDoubled(stored: By<StoredTx>, ran: By<MinedTx>): readonly string[] {
  const twice: string[] = []
  for (const [marker, mined] of ran)
    if (marker.startsWith('0xd0') && mined.length > 1) twice.push(`${marker} ran ${mined.length} times`)
  for (const [marker, rows] of stored)
    if (marker.startsWith('0xd0') && rows.length > 1) twice.push(`${marker} was stored ${rows.length} times`)
  for (const rows of stored.values())
    for (const { id, state, marker } of rows)
      if (state === 'CANCELLED' && marker !== '0x' && ran.has(marker)) twice.push(`${id} is CANCELLED, and ran`)
  return twice
}

/** Every nonce below the next one is used on chain, or free and above all used ones. */
function findGaps({ lanes, mined, transactions }: Outcome): readonly string[] {
  const gaps: string[] = []
  for (const { chainId, signer, cursor, free, latest, pending } of lanes) {
    const isWhole = pending === latest && cursor - latest === free.filter((nonce) => nonce >= latest).length
    if (!isWhole)
      gaps.push(`${signer} on ${chainId}: next ${cursor}, free ${free.join()}, chain ${latest} (pending ${pending})`)
  }
  const byHash = new Map(mined.map((tx) => [tx.hash, tx]))
  for (const { id, nonce, hashes, state } of transactions) {
    if (nonce === null || state !== 'CONFIRMED') continue
    const found = hashes.map((hash) => byHash.get(hash)).find((tx) => tx !== undefined)
    if (found !== undefined && found.nonce !== nonce) gaps.push(`${id} has nonce ${nonce}, the chain ${found.nonce}`)
  }
  return gaps
}

function findWrongState(tx: StoredTx, asked: Asked | undefined, ran: By<MinedTx>): readonly string[] {
  if (tx.isFill) return tx.state === 'CONFIRMED' || tx.state === 'CANCELLED' ? [] : [`fill ${tx.id} is ${tx.state}`]
  if (tx.state === 'CONFIRMED') return ran.has(tx.marker) ? [] : [`${tx.id} is CONFIRMED, and did not run`]
  if (tx.state === 'CANCELLED' && asked?.cancelled === true) return []
  return [`${tx.id} (${asked?.path}) ended as ${tx.state}`]
}

/** Everything signed with the keys is known: as an attempt of Drover, or as a transaction of a holder. */
function findForeign({ own }: StormLog, { mined, transactions }: Outcome): readonly string[] {
  const known = new Set([...transactions.flatMap(({ hashes }) => hashes), ...own.map(({ hash }) => hash)])
  return mined.flatMap(({ hash, nonce, signer }) => (known.has(hash) ? [] : [`${hash} (nonce ${nonce} of ${signer})`]))
}

/** Every event once in the stream, in the order of its numbers; each at the webhook at least once, those of a transaction in order. */
function findMissedEvents({ stream, webhooks }: StormLog, { events }: Outcome): readonly string[] {
  const missed: string[] = []
  const streamed = new Set<number>()
  for (const [index, { eventId }] of stream.entries()) {
    const before = stream[index - 1]?.eventId ?? 0
    if (eventId <= before) missed.push(`the stream told ${eventId} after ${before}`)
    streamed.add(eventId)
  }
  const received = new Map<number, string>()
  const lastOf = new Map<string, number>()
  for (const { eventId, txId, messageId } of webhooks) {
    const known = received.get(eventId)
    if (known !== undefined && known !== messageId) missed.push(`event ${eventId} came under two ids`)
    if (known !== undefined) continue
    received.set(eventId, messageId)
    if (txId !== null && (lastOf.get(txId) ?? 0) > eventId)
      missed.push(`webhook: event ${eventId} of ${txId} out of order`)
    if (txId !== null) lastOf.set(txId, eventId)
  }
  for (const { eventId, type, txId } of events) {
    if (!streamed.has(eventId)) missed.push(`the stream did not tell ${eventId} (${type} of ${txId})`)
    if (!received.has(eventId)) missed.push(`the webhook did not get ${eventId} (${type} of ${txId})`)
  }
  return missed
}
