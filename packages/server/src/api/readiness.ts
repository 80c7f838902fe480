/** Whether this node can do its work now: a database with the right schema, and every chain followed. */
import type { Clock } from '../ports/clock.ts'
import { type Store, StoreUnavailable } from '../ports/store.ts'
import type { ChainStatus, ReadinessProblem } from './api-services.ts'

interface ReadinessPorts {
  readonly store: Pick<Store, 'ping'>
  readonly clock: Clock
  /** The schema that this program was written for. */
  readonly schemaVersion: number
  chainStatus(): readonly ChainStatus[]
  readonly timeoutMs?: number
}

export function createReadiness(ports: ReadinessPorts): () => Promise<readonly ReadinessProblem[]> {
  return async () => [...(await checkDatabase(ports)), ...ports.chainStatus().flatMap(checkChain)]
}

async function checkDatabase(ports: ReadinessPorts): Promise<ReadinessProblem[]> {
  try {
    const { schemaVersion } = await withinTime(ports, ports.store.ping())
    if (schemaVersion === ports.schemaVersion) return []
    const cure = schemaVersion > ports.schemaVersion ? 'start a newer Drover in its place' : 'run `drover migrate`'
    const message = `is at version ${schemaVersion}, this program needs ${ports.schemaVersion}; ${cure}`
    return [{ part: 'schema', message, isMinor: false }]
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    return [{ part: 'database', message: 'does not answer', isMinor: false }]
  }
}

/** A probe has to answer in time even where the database does not: balancers read silence as death of the whole node. */
async function withinTime<T>({ clock, timeoutMs = 2_000 }: ReadinessPorts, answer: Promise<T>): Promise<T> {
  let cancel = () => {}
  const late = new Promise<never>((_, reject) => {
    cancel = clock.schedule(timeoutMs, () => reject(new StoreUnavailable(`no answer within ${timeoutMs} ms`)))
  })
  return Promise.race([answer, late]).finally(cancel)
}

/**
 * A chain that stands or went back is nobody's fault here, and looks the same from every node: a balancer that took them
 * all out would only add an outage. One that this node cannot reach may be well for a peer.
 */
function checkChain({ chainId, health: { state, message } }: ChainStatus): ReadinessProblem[] {
  if (state === 'ok') return []
  const isMinor = state === 'standing' || state === 'rewound'
  return [{ part: `chain ${chainId}`, message: message ?? state, isMinor }]
}
