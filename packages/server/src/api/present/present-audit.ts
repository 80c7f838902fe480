/** An audit entry as JSON. */
import type { AuditEntry } from '../../ports/access-store.ts'
import type { AuditResource } from '../contract/resources/api-key-resource.ts'
import { presentInstant } from '../contract/values/instant.ts'

export function presentAudit(entry: AuditEntry): AuditResource {
  const { id, at, keyId, actor, nodeId, operation, target, result, hash } = entry
  return { id, at: presentInstant(at), keyId, actor, node: nodeId, operation, target, result, hash }
}
