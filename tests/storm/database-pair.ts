/**
 * A PostgreSQL primary and a standby that it waits for (synchronous replication): what was answered as stored is on both,
 * so that a promotion loses nothing. After each promotion the new primary gets a new standby.
 */
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { chooseAccount } from '../../packages/dev/src/postgres/postgres-account.ts'
import { findPostgresPackage, preparePostgresBinaries } from '../../packages/dev/src/postgres/postgres-binaries.ts'
import { eventually } from '../setup/eventually.ts'
import {
  copyAsStandby,
  createServer,
  DATABASE,
  type DatabaseServer,
  initialise,
  type ServerGround,
} from './database-server.ts'

export interface DatabasePair {
  primary(): DatabaseServer
  /** Kills the primary and promotes the standby; resolves when it accepts writes. */
  promote(): Promise<void>
  /** Adds a new standby to the current primary; resolves once every commit waits for it. */
  attachStandby(): Promise<void>
  /** Fills the disk of the primary for this long, and restarts it if it gave up. Returns whether it noticed. */
  fillDisk(forMs: number): Promise<boolean>
  canFillDisk: boolean
  remove(): Promise<void>
}

export async function startDatabasePair(folder: string): Promise<DatabasePair> {
  await mkdir(folder, { recursive: true })
  await chmod(folder, 0o711)
  const account = await chooseAccount(folder)
  const binaries = await preparePostgresBinaries(await findPostgresPackage(), join(folder, 'programs'), account)
  const ground: ServerGround = { folder, binaries, account }
  let count = 0
  const nextServer = () => createServer(`server-${++count}`, ground)
  let primary = await nextServer()
  let standby: DatabaseServer | null = null
  initialise(primary, ground)
  await primary.launch()
  await primary.query(`create database ${DATABASE}`)

  async function attachStandby(): Promise<void> {
    const next = await nextServer()
    await copyAsStandby(primary, next, ground)
    await next.launch()
    standby = next
    await primary.query(`alter system set synchronous_standby_names = '*'`)
    await primary.query('select pg_reload_conf()')
    const readState = () => primary.query<{ sync_state: string }>('select sync_state from pg_stat_replication')
    await eventually(readState, (rows) => rows.some(({ sync_state }) => sync_state === 'sync'))
  }

  await attachStandby()
  return {
    primary: () => primary,
    attachStandby,
    async promote() {
      if (standby === null) throw new Error('there is no standby to promote')
      const [old, heir] = [primary, standby]
      await old.kill()
      const [result] = await heir.query<{ pg_promote: boolean }>('select pg_promote(true, 60)')
      if (result?.pg_promote !== true) throw new Error(`the standby was not promoted:\n${await heir.log()}`)
      primary = heir
      standby = null
      await old.remove()
    },
    async fillDisk(forMs) {
      await primary.disk?.fill()
      await delay(forMs)
      await primary.disk?.drain()
      // It exits when it cannot write its log; a supervisor would restart it.
      await delay(500)
      const isNoticed = (await primary.log()).includes('No space left on device')
      if (!primary.isRunning()) await primary.launch()
      return isNoticed
    },
    canFillDisk: primary.disk !== null,
    remove: async () => {
      await standby?.remove()
      await primary.remove()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
