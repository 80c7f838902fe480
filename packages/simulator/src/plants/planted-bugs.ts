/**
 * Bugs that a test build may have planted in it, one at a time, to see that the simulator finds them. Each replaces one
 * piece of a source by another while it is bundled: the sources and every other build are left as they are.
 */
export interface PlantedBug {
  readonly name: string
  readonly meaning: string
  /** From the root of the repository. */
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

const SERVER = 'packages/server/src'

export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'skip-fence-lock',
    meaning: 'a write does not look at the lease that it was decided under',
    file: `${SERVER}/testing/store/memory-writes.ts`,
    find: `  if (lane === undefined || !isLeaseLive(state, lane)) return { type: 'fenced' }
  if (lane.owner !== lease.nodeId || lane.fence !== lease.fence) return { type: 'fenced' }`,
    replace: `  if (lane === undefined) return { type: 'fenced' }`,
  },
  {
    name: 'forget-old-hash',
    meaning: 'only the newest bytes of a transaction are looked for in blocks',
    file: `${SERVER}/engine/follow/watch-list.ts`,
    find: 'const hashes = tx.attempts.filter((attempt) => attempt.nonce === nonce).map((attempt) => attempt.hash)',
    replace:
      'const hashes = tx.attempts.filter((attempt) => attempt.nonce === nonce).map((attempt) => attempt.hash).slice(-1)',
  },
  {
    name: 'timeout-is-not-sent',
    meaning: 'a send without an answer counts as one that never left, and its nonce is free again',
    file: `${SERVER}/core/transaction/answer-broadcast.ts`,
    find: 'return retrySoon(maybeHeld(), event, policy)',
    replace: `return reject(tx, event, { ...outcome, type: 'invalid', reason: 'malformed' })`,
  },
  {
    name: 'drop-the-claim',
    meaning: 'bytes are sent again without storing that they are',
    file: `${SERVER}/core/transaction/transition.ts`,
    find: 'nextResubmitAt: at + policy.resubmitIntervalMs,',
    replace: 'nextResubmitAt: tx.nextResubmitAt,',
  },
  {
    name: 'heights-for-hashes',
    meaning: 'an inclusion is judged by the height of its block, not by its hash',
    file: `${SERVER}/core/chain/finality.ts`,
    find: `  if (canonical.hash !== at.blockHash) return { type: 'reorged' }\n`,
    replace: '',
  },
  {
    name: 'free-refused-nonce',
    meaning: 'a refusal that proves nothing ends the transaction, and its nonce is free again',
    file: `${SERVER}/core/transaction/answer-broadcast.ts`,
    find: 'return refusedOutright(answered(), event, { outcome, isProven: false }, policy)',
    replace: `return reject(tx, event, { ...outcome, type: 'invalid', reason: 'malformed' })`,
  },
  {
    name: 'promise-is-inclusion',
    meaning: 'a receipt of a block in the making counts as an inclusion',
    file: `${SERVER}/engine/follow/preconfirmation-watch.ts`,
    find: `runner.post({ type: 'preconfirmed', txId, hash, blockNumber, succeeded })`,
    replace: `runner.post({ type: 'inclusions', inclusions: [{ txId, inclusion: found.inclusion }] })`,
  },
  {
    name: 'ack-before-stored',
    meaning: 'a webhook delivery counts as delivered before the receiver has it',
    file: `${SERVER}/webhooks/attempt-delivery.ts`,
    find: `  if (error === null) return { type: 'delivered' }`,
    replace: `  if (error === null || durationMs >= 0) return { type: 'delivered' }`,
  },
  {
    name: 'cursor-out-of-order',
    meaning: 'the reader of the stream moves its cursor past events that it has not read',
    file: `${SERVER}/engine/wait/event-tail.ts`,
    find: '    keep(page)\n',
    replace: '    keep(page)\n    head = await store.findLastEventId()\n',
  },
  {
    name: 'trust-one-price',
    meaning: "one RPC node's word decides what is paid",
    file: `${SERVER}/chain/fee-market.ts`,
    find: '    const combined = combineQuotes(quotes, {',
    replace: '    last = null\n    const combined = combineQuotes(quotes.slice(0, 1), {',
  },
]
