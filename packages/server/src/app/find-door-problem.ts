/** Whether the service may be reached as it is set up: by callers with a key, or by this machine if that is wanted. */
import { LOOPBACK_HOST } from '../config/values/loopback-host.ts'

/** Where the service listens, and whether it may do so without a key. */
export interface Door {
  readonly host: string
  readonly isOpen: boolean
}

interface DoorProblem {
  readonly message: string
  readonly fix: string
}

const CREATE = 'drover key create --name <name> --scope read,send,operate,admin'

export function findDoorProblem(
  { host, isOpen }: Door,
  { hasKeys, hasActiveKey }: { readonly hasKeys: boolean; readonly hasActiveKey: boolean },
): DoorProblem | null {
  if (!LOOPBACK_HOST.test(host) && !hasActiveKey) {
    return {
      message: `Drover listens on ${host} only with an API key, and there is none`,
      fix: `create one with "${CREATE}", or listen on 127.0.0.1`,
    }
  }
  if (!hasKeys && !isOpen) {
    return {
      message: 'there is no API key, so anyone who can call this machine could send from its signers',
      fix: `create a key with "${CREATE}", or start with --open if you want that`,
    }
  }
  return null
}
