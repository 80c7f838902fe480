/**
 * Decides at the start who may reach the service: callers with a key. If no key exists, only this machine, and only if
 * explicitly enabled.
 */
import { type Access, createAccess } from '../api/access/access.ts'
import type { AccessStore } from '../ports/access-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import { type Door, findDoorProblem } from './find-door-problem.ts'

/** The service would be open to any caller; the message says what to do. */
class OpenToAll extends Error {
  override readonly name = 'OpenToAll'
}

interface AccessPorts {
  readonly store: AccessStore
  readonly notices: Pick<Store, 'listen'>
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly nodeId: string
}

/** `door`: null if it does not listen. */
export async function openAccess(ports: AccessPorts, door: Door | null): Promise<Access> {
  if (door === null) return createAccess(ports)
  const { store, telemetry } = ports
  const [{ hasKeys }, hasActiveKey] = await Promise.all([store.findKeys([]), store.hasActiveKey()])
  const problem = findDoorProblem(door, { hasKeys, hasActiveKey })
  if (problem !== null) throw new OpenToAll(`${problem.message}: ${problem.fix}`)
  const access = createAccess(ports)
  if (hasKeys) access.lock()
  else telemetry.log('warn', 'no API keys: only this machine can call Drover, without a key', { host: door.host })
  return access
}
