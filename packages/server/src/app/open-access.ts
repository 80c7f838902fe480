/** Decides at the start who may reach the service: without a key that opens it, this machine alone. */
import { type Access, createAccess } from '../api/access.ts'
import { LOOPBACK_HOST } from '../config/loopback-host.ts'
import type { AccessStore } from '../ports/access-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Telemetry } from '../ports/telemetry.ts'

/** The address would let in everybody; the message says what to do. */
class OpenToAll extends Error {
  override readonly name = 'OpenToAll'
}

interface AccessPorts {
  readonly store: AccessStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly nodeId: string
}

export async function openAccess(ports: AccessPorts, host: string): Promise<Access> {
  const { store, telemetry } = ports
  const [{ hasKeys }, hasActiveKey] = await Promise.all([store.findKeys([]), store.hasActiveKey()])
  if (!LOOPBACK_HOST.test(host) && !hasActiveKey) {
    await store.close()
    throw new OpenToAll(
      `the service may listen on ${host} only with API keys, and there is none that opens it: make one with "drover key create --name <name> --scope read,send,operate,admin", or listen on 127.0.0.1`,
    )
  }
  const access = createAccess(ports)
  if (hasKeys) access.lock()
  else telemetry.log('info', 'there are no API keys: only this machine can call the service, and needs none', { host })
  return access
}
