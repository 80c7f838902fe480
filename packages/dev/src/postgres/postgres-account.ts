/**
 * The account PostgreSQL runs under. PostgreSQL refuses to run as root, so root hands it to the owner of the data
 * folder, or else to `nobody`. Accounts are never created.
 */
import { spawnSync } from 'node:child_process'
import { chown, stat } from 'node:fs/promises'

export interface Account {
  readonly uid: number
  readonly gid: number
}

const NOBODY: Account = process.platform === 'darwin' ? { uid: -2, gid: -2 } : { uid: 65_534, gid: 65_534 }

/** Null: the account of this process will do. */
export async function chooseAccount(folder: string): Promise<Account | null> {
  if (process.getuid?.() !== 0) return null
  const owner = await stat(folder)
  // initdb looks its own account up by number and gives up where the system has no name for it.
  const ownerHasName = owner.uid !== 0 && spawnSync('id', ['-un', String(owner.uid)], { stdio: 'ignore' }).status === 0
  return ownerHasName ? { uid: owner.uid, gid: owner.gid } : NOBODY
}

/** Asks the system itself, under that account: mode bits alone know nothing of ACLs, mounts or parent folders. */
export function canAccess(account: Account, checks: readonly (readonly ['-r' | '-x', string])[]): boolean {
  return checks.every(([mode, path]) => {
    const script = 'test "$0" "$1"'
    return spawnSync('/bin/sh', ['-c', script, mode, path], { ...account, cwd: '/', stdio: 'ignore' }).status === 0
  })
}

export async function giveTo(account: Account | null, path: string): Promise<void> {
  if (account !== null) await chown(path, account.uid, account.gid)
}
