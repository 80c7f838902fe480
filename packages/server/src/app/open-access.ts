/**
 * Decides at the start who may reach the service: callers with a key. If no key exists, only this machine, and only if
 * explicitly enabled.
 */
import { type Access, createAccess } from '../api/access/access.ts'
import { LOOPBACK_HOST } from '../config/values/loopback-host.ts'
import type { AccessStore } from '../ports/access-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { Telemetry } from '../ports/telemetry.ts'

/** The service would be open to any caller; the message says what to do. */
class OpenToAll extends Error {
  override readonly name = 'OpenToAll'
}

const CREATE = 'drover key create --name <name> --scope read,send,operate,admin'

interface AccessPorts {
  readonly store: AccessStore
  readonly clock: Clock
  readonly telemetry: Telemetry
  readonly nodeId: string
}

/** `door`: where the service listens, and whether it may do so without a key. Null: it does not listen. */
export async function openAccess(
  ports: AccessPorts,
  door: { readonly host: string; readonly isOpen: boolean } | null,
): Promise<Access> {
  if (door === null) return createAccess(ports)
  const { host, isOpen } = door
  const { store, telemetry } = ports
  const [{ hasKeys }, hasActiveKey] = await Promise.all([store.findKeys([]), store.hasActiveKey()])
  if (!LOOPBACK_HOST.test(host) && !hasActiveKey) {
    throw new OpenToAll(
      `Drover listens on ${host} only with an API key, and there is none: create one with "${CREATE}", or listen on 127.0.0.1`,
    )
  }
  if (!hasKeys && !isOpen) {
    throw new OpenToAll(
      `there is no API key, so anyone who can call this machine could send from its signers: create a key with "${CREATE}", or start with --open if you want that`,
    )
  }
  const access = createAccess(ports)
  if (hasKeys) access.lock()
  else telemetry.log('warn', 'no API keys: only this machine can call Drover, without a key', { host })
  return access
}
