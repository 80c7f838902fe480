/**
 * docs/guarantees.md: what Drover guarantees, what holds each guarantee, and the tests that fail without it. A test that stands for a
 * guarantee has its number in its title, as in `test('… [G4]')`; the list of tests is read from there.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Guarantee {
  readonly promise: string
  /** What would have to be broken for the promise to break, by file. */
  readonly heldBy: readonly (readonly [file: string, how: string])[]
  readonly limits?: string
}

export interface TaggedTest {
  readonly guarantee: string
  readonly file: string
  readonly title: string
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SCHEMA = 'packages/server/src/store/migrations/0001_transactions.sql'
const LANES = 'packages/server/src/store/postgres/lanes'
const ENGINE = 'packages/server/src/engine'

export const GUARANTEES: Readonly<Record<string, Guarantee>> = {
  G1: {
    promise: 'A nonce is allocated at most once per chain and signer, whatever fails and however many nodes run.',
    heldBy: [
      [
        SCHEMA,
        'the primary key of `nonce_allocation`, and a check that a nonce changes hands only when it is free again',
      ],
      [
        `${LANES}/write-lanes-statement.ts`,
        'the cursor, the nonce and the transaction are written together, under the fence',
      ],
    ],
  },
  G2: {
    promise:
      'The cursor never moves back, except by an operator’s reset, which is on record and is refused while a live attempt would collide.',
    heldBy: [
      [
        `${LANES}/write-lanes-statement.ts`,
        'the write that carries a reset out changes nothing while a live nonce sits above',
      ],
      [
        SCHEMA,
        'the check `signer_nonce_cursor_never_goes_back`: it lets the cursor back only together with a reset that was not used before',
      ],
      [
        'packages/server/src/core/lane/nonce-reset.ts',
        'a reset is refused while a transaction or reservation sits at or above the chain’s count',
      ],
      [`${LANES}/reset-statements.ts`, 'a reset keeps who, why, before and after'],
    ],
  },
  G3: {
    promise:
      'An accepted intent executes on chain at most once, and its fate is always known: a final state, or STUCK with a named cause.',
    heldBy: [
      [
        'packages/server/src/core/transaction/transition.ts',
        'one pure function moves a transaction; a final state never changes; STUCK has a cause',
      ],
      [
        SCHEMA,
        'unique indexes on the request id and on the live nonce; checks tie each state to the fields that prove it',
      ],
      [
        'packages/server/src/core/transaction/lose-nonce.ts',
        'a nonce used by another transaction: success only if that one had the same effect',
      ],
    ],
    limits: 'Nothing can be promised about a key that another system uses too.',
  },
  G4: {
    promise:
      'Signed bytes and their hash are durable before the first broadcast; a crash or time-out at any instant is repaired by sending the same bytes again.',
    heldBy: [
      [`${ENGINE}/lane/lane.ts`, 'load, decide, save, and only then act: bytes are sent from what was saved'],
      [
        'packages/server/src/core/transaction/answer-broadcast.ts',
        'an answer that is not clear concludes nothing and frees nothing',
      ],
    ],
  },
  G5: {
    promise:
      'A node that lost its lease can change nothing, and can at worst send bytes again that the new owner also knows.',
    heldBy: [
      [
        `${LANES}/write-lanes-statement.ts`,
        'every write locks the lease row and checks owner, fence and expiry in its own transaction',
      ],
      [`${LANES}/lease-statements.ts`, 'each change of hands raises the fence, and waits for a write in progress'],
      [`${ENGINE}/cluster/lane-keeper.ts`, 'a local deadline by the monotonic clock, after which nothing is sent'],
    ],
  },
  G6: {
    promise:
      'Final means final: a state derived from a block is withdrawn when that block leaves the chain, until the chosen finality is reached.',
    heldBy: [
      [
        'packages/server/src/core/chain/finality.ts',
        'an inclusion is a block hash; another hash at its height withdraws it',
      ],
      [`${ENGINE}/follow/block-follower.ts`, 'blocks are walked by parent hash, so that no fork is missed'],
      [`${ENGINE}/follow/final-reorg.ts`, 'a reorganisation past finality changes nothing and is reported'],
    ],
    limits:
      'A reorganisation deeper than the finality you chose is reported, not repaired: choose `finalized` where that matters.',
  },
  G7: {
    promise:
      'Nothing is dropped silently: a failed write, a skipped block, a clipped watch, a lost webhook is retried or reported.',
    heldBy: [
      [
        `${ENGINE}/accept/intake.ts`,
        'a write with an unknown end is sent again until it is known, or its fate is said to be unknown',
      ],
      [`${ENGINE}/follow/receipt-audit.ts`, 'what the walk by blocks could miss is looked up by hash'],
      [
        'packages/server/src/store/postgres/notice-listener.ts',
        'a listener that was cut off says that it may have missed something',
      ],
      [
        'packages/server/src/webhooks/webhook-deliverer.ts',
        'a delivery is a row, tried until it is delivered or given up on record',
      ],
    ],
  },
  G8: {
    promise:
      'Events are delivered in commit order, at least once, and a consumer that resumes from its cursor misses none.',
    heldBy: [
      [SCHEMA, 'the row `event_head` gives out numbers; a writer holds it until it commits'],
      [`${ENGINE}/wait/event-tail.ts`, 'one reader for a node, without holes'],
      [
        'packages/server/src/store/postgres/webhooks/delivery-statements.ts',
        'a webhook’s cursor and its deliveries are written together',
      ],
    ],
  },
  G9: {
    promise:
      'Timer delivery is a pure function of chain data: every node, shard count and insertion order gives the same bytes.',
    heldBy: [
      [
        'packages/timers/src/kernel/deliver/deliver.ts',
        'state and block in, state and mailbox out; nothing else is read',
      ],
      [
        'packages/timers/src/kernel/ready/merge-shards.ts',
        'what shards found is put in one order that does not depend on them',
      ],
      [`${ENGINE}/timers/host-state.ts`, 'a chain’s timers move by blocks and logged commands only'],
    ],
  },
  G10: {
    promise:
      'A timer fire becomes at most one on-chain transaction per canonical occurrence, reorganisations included.',
    heldBy: [
      ['packages/timers/src/kernel/deliver/deliver-id.ts', 'a fire has one key on every branch'],
      [
        'packages/server/src/store/postgres/timers/write-blocks.ts',
        'fires, timers and queued transactions of a block are one fenced statement, and a fire key is unique',
      ],
      [
        'packages/server/src/engine/timers/chain-timers.ts',
        'every block in order; after a reorg, back to the fork and again from there',
      ],
    ],
  },
  G11: {
    promise:
      'No transaction costs more in fees than its cap, whoever named the price. There is always a cap unless an operator wrote `none`.',
    heldBy: [
      [`${ENGINE}/fees/sign-within-cap.ts`, 'the one way to a signature: it checks the cap last'],
      [
        'packages/server/src/core/fees/fee-cap.ts',
        'the cap of a transaction: the lowest of those of the chain, the signer and the API key',
      ],
    ],
    limits: 'Rollups charge for L1 data on top. That part is not in the transaction, so no cap can hold it.',
  },
  G12: {
    promise:
      'One tenant never takes another’s service: every shared pool has a share per tenant; a look-up by request id finds only the tenant’s own.',
    heldBy: [
      [`${ENGINE}/tenants/tenant-pool.ts`, 'places in a pool are counted, and one tenant gets its share of them'],
      [`${ENGINE}/tenants/fair-turns.ts`, 'calls to the chain and reads of the database go in turns'],
      [`${ENGINE}/tenants/work-turns.ts`, 'tenants share the thread by time while several are active'],
      [
        `${ENGINE}/timers/conditions/condition-checks.ts`,
        'conditions of timers are asked for beside the blocks, each tenant at its own pace',
      ],
      ['packages/server/src/store/migrations/0008_tenants.sql', 'request ids are unique within a tenant'],
      [
        'packages/server/src/api/access/limit-request-ids.ts',
        'look-ups by request id find only the tenant’s own, unless the caller is an operator',
      ],
    ],
  },
}

const TAG = /\[(G\d+)\]/g
/** A title is a text in quotes; an apostrophe of its own is escaped or between other quotes. */
const TITLE = /(['"`])((?:(?!\1)[^\\\n]|\\.)*\[G\d+\](?:(?!\1)[^\\\n]|\\.)*)\1/g

export function findTags(file: string, text: string): readonly TaggedTest[] {
  return [...text.matchAll(TITLE)].flatMap(([, , title = '']) =>
    [...title.matchAll(TAG)].map(([, guarantee = '']) => ({
      guarantee,
      file,
      title: title.replaceAll(TAG, '').replaceAll(/\\(.)/g, '$1').trim(),
    })),
  )
}

export function listTaggedTests(): readonly TaggedTest[] {
  const files = ['packages', 'tests']
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }))
    .filter(
      (entry) =>
        entry.isFile() && /\.(?:test|suite)\.ts$/.test(entry.name) && !entry.parentPath.includes('node_modules'),
    )
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    // Its own test has tags that stand for nothing.
    .filter((file) => file !== 'tests/architecture/guarantees.test.ts')
  return files.sort().flatMap((file) => findTags(file, readFileSync(join(ROOT, file), 'utf8')))
}

/** What is wrong between guarantees and tests, in words; nothing where every guarantee has a test and every tag a guarantee. */
export function findTagProblems(names: readonly string[], tests: readonly TaggedTest[]): readonly string[] {
  const untested = names.filter((name) => !tests.some(({ guarantee }) => guarantee === name))
  const unknown = tests.filter(({ guarantee }) => !names.includes(guarantee))
  return [
    ...untested.map((name) => `${name} has no test`),
    ...unknown.map(({ guarantee, file, title }) => `there is no ${guarantee}: ${file}: ${title}`),
  ]
}

export function buildGuarantees(): string {
  const tests = listTaggedTests()
  const problems = findTagProblems(Object.keys(GUARANTEES), tests)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return `# Guarantees

What Drover guarantees, what holds each guarantee, and the tests that fail without it. A test that stands for a guarantee has its number in
its title, as in \`[G4]\`. This page is made from those titles by \`npm run generate\`: a guarantee without a test, a tag without a guarantee, or a
tagged test that is gone fails the check.

What nobody can promise: that a chain never shows a gap while your policy forbids replacing transactions, and anything about a key that
another system uses too.

${Object.keys(GUARANTEES)
  .map((name) => describeGuarantee(name, tests))
  .join('\n')}`
}

function describeGuarantee(name: string, tests: readonly TaggedTest[]): string {
  const guarantee = GUARANTEES[name]
  if (guarantee === undefined) throw new Error(`there is no ${name}`)
  const own = tests.filter((test) => test.guarantee === name)
  return `## ${name}

${guarantee.promise}

Held by:

${guarantee.heldBy.map(([file, how]) => `- \`${file}\`: ${how}.`).join('\n')}
${guarantee.limits === undefined ? '' : `\n${guarantee.limits}\n`}
Tests that fail without it:

${[...new Set(own.map(({ file }) => file))].map((file) => describeFile(file, own)).join('\n')}
`
}

function describeFile(file: string, tests: readonly TaggedTest[]): string {
  const titles = tests.filter((test) => test.file === file).map(({ title }) => `  - ${title}`)
  return [`- \`${file}\``, ...titles].join('\n')
}
