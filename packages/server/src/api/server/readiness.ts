/**
 * Whether this node can work now: the database has the right schema, and every chain is followed. Also reports nodes
 * that do not report, and signers that cannot continue.
 */
import type { ShownProblem, SilentNode } from '../../core/explain/describe-problem.ts'
import { CHAIN_STEPS, DATABASE_STEP, KEY_STORE_STEP, SILENT_NODE_STEP } from '../../core/explain/next-steps.ts'
import {
  chainRunbookEntry,
  DATABASE_ENTRY,
  KEY_STORE_ENTRY,
  laneRunbookEntry,
  SILENT_NODE_ENTRY,
} from '../../core/explain/runbook.ts'
import { nameNode } from '../../core/explain/spell-owner.ts'
import { spellTime } from '../../core/explain/spell-time.ts'
import type { Address } from '../../core/hex.ts'
import type { Clock } from '../../ports/clock.ts'
import type { KeySourceState } from '../../ports/key-source.ts'
import { type LaneStatus, type Store, StoreUnavailable } from '../../ports/store.ts'
import type { ChainStatus, ReadinessProblem } from '../api-services.ts'
import { checksumAddress } from '../contract/values/address.ts'
import { describeLane } from '../present/describe-lane.ts'

interface ReadinessPorts {
  readonly store: Pick<Store, 'ping' | 'listLaneStatus'>
  readonly clock: Clock
  /** The schema that this program was written for. */
  readonly schemaVersion: number
  chainStatus(): readonly ChainStatus[]
  silentNodes(): readonly SilentNode[]
  /** Whether this node has the key of a signer; left out: not known. */
  hasKey?(signer: Address): boolean
  /** Left out: none. */
  keySources?(): readonly KeySourceState[]
  readonly timeoutMs?: number
}

/** The endpoint is public and unlimited, so lanes are read once for all requests within this time. */
const LANES_FOR_MS = 1_000
const MAX_SIGNERS = 20

export function createReadiness(ports: ReadinessPorts): () => Promise<readonly ReadinessProblem[]> {
  const { store, clock } = ports
  let lanes: { readonly at: number; readonly read: Promise<readonly LaneStatus[]> } | null = null

  function readLanes(): Promise<readonly LaneStatus[]> {
    if (lanes === null || clock.monotonic() - lanes.at >= LANES_FOR_MS) {
      const reading = { at: clock.monotonic(), read: store.listLaneStatus({ troubled: true }) }
      lanes = reading
      reading.read.catch(() => {
        if (lanes === reading) lanes = null
      })
    }
    return lanes.read
  }

  return async () => {
    const [database, signers] = await checkDatabase(ports, readLanes)
    const chains = ports.chainStatus().flatMap(checkChain)
    const keys = ports.keySources?.().flatMap(checkKeySource) ?? []
    return [...database, ...chains, ...ports.silentNodes().map(describeSilent), ...keys, ...signers]
  }
}

type Found = readonly ReadinessProblem[]

async function checkDatabase(
  ports: ReadinessPorts,
  readLanes: () => Promise<readonly LaneStatus[]>,
): Promise<readonly [database: Found, signers: Found]> {
  try {
    const { schemaVersion } = await withinTime(ports, ports.store.ping())
    const schema = checkSchema(schemaVersion, ports.schemaVersion)
    if (schema.some(({ isMinor }) => !isMinor)) return [schema, []]
    return [schema, checkSigners(await withinTime(ports, readLanes()), ports)]
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    const problem = { part: 'database', message: 'does not respond', action: DATABASE_STEP }
    return [[{ ...problem, runbook: DATABASE_ENTRY, isMinor: false }], []]
  }
}

/**
 * A newer schema is what a node meets during an upgrade. It still works there, because a release only adds to the schema
 * of the one before: if all of them were taken out of service at once, nobody would answer until the first new one does.
 */
function checkSchema(found: number, needed: number): readonly ReadinessProblem[] {
  if (found === needed) return []
  const [message, action] =
    found > needed
      ? [`is at version ${found}, newer than what this node was made for (${needed})`, 'Upgrade this node soon.']
      : [`is at version ${found}, but this version of Drover needs ${needed}`, 'Run `drover migrate`.']
  return [{ part: 'schema', message, action, runbook: null, isMinor: found > needed }]
}

/** A probe must answer in time even if the database does not: load balancers treat silence as a dead node. */
async function withinTime<T>({ clock, timeoutMs = 2_000 }: ReadinessPorts, answer: Promise<T>): Promise<T> {
  let cancel = () => {}
  const late = new Promise<never>((_, reject) => {
    cancel = clock.schedule(timeoutMs, () => reject(new StoreUnavailable(`no answer within ${timeoutMs} ms`)))
  })
  return Promise.race([answer, late]).finally(cancel)
}

/**
 * If a chain halted or went back, no node is at fault and all nodes see the same: a load balancer that removed them all
 * would only add an outage. A chain that this node cannot reach may be fine for a peer.
 */
function checkChain({ chainId, health: { state, message } }: ChainStatus): ReadinessProblem[] {
  if (state === 'ok') return []
  const isMinor = state === 'standing' || state === 'rewound'
  const action = CHAIN_STEPS[state] ?? 'Wait a moment.'
  const runbook = chainRunbookEntry(state)
  return [{ part: `chain ${chainId}`, message: message ?? state, action, runbook, isMinor }]
}

function describeSilent(node: SilentNode): ReadinessProblem {
  const message = `has not reported since ${spellTime(node.heartbeatAt)}`
  const part = `node ${nameNode(node)}`
  return { part, message, action: SILENT_NODE_STEP, runbook: SILENT_NODE_ENTRY, isMinor: true }
}

/** The endpoint is public: of a folder or a database, it does not say which file or key it is. */
function checkKeySource({ source, problem }: KeySourceState): ReadinessProblem[] {
  if (problem === null) return []
  const isRemote = source === 'remote' || source === 'aws_kms' || source === 'google_kms' || source === 'vault'
  const message = isRemote ? problem.message : 'has a key that cannot be used; see the log'
  return [{ part: `key store ${source}`, message, action: KEY_STORE_STEP, runbook: KEY_STORE_ENTRY, isMinor: true }]
}

/**
 * No reason to route requests elsewhere: every node sees the same. The endpoint is public, so addresses are shortened,
 * and nothing reveals which transaction or reservation it is.
 */
function checkSigners(
  lanes: readonly LaneStatus[],
  { silentNodes, hasKey }: Pick<ReadinessPorts, 'silentNodes' | 'hasKey'>,
): readonly ReadinessProblem[] {
  const silent = silentNodes()
  const found = lanes.flatMap((status) => {
    const { signer, chainId } = status.signer.lane
    const name = shorten(checksumAddress(signer))
    const teller = { name, ...(hasKey && { isKeyHere: hasKey(signer) }) }
    return describeLane(withoutIds(status), silent, teller).map(toProblem(`signer ${name} on chain ${chainId}`))
  })
  if (found.length <= MAX_SIGNERS) return found
  const left = found.length - MAX_SIGNERS
  const more = { part: 'signers', message: `have ${left} more problems`, action: 'See GET /v1/signers.' }
  return [...found.slice(0, MAX_SIGNERS), { ...more, runbook: null, isMinor: true }]
}

function withoutIds(status: LaneStatus): LaneStatus {
  const { health, lowestReserved } = status
  return {
    ...status,
    health: { ...health, problems: health.problems.map((problem) => ({ ...problem, txId: null })) },
    lowestReserved: lowestReserved && { ...lowestReserved, reservationId: null },
  }
}

function toProblem(part: string) {
  return ({ code, message, action }: ShownProblem): ReadinessProblem => {
    return { part, message, action, runbook: laneRunbookEntry(code), isMinor: true }
  }
}

function shorten(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`
}
