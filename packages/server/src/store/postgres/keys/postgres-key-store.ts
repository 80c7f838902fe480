/** Encrypted keys of signers in PostgreSQL. Nothing here can decrypt them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Address, Hex } from '../../../core/hex.ts'
import type { KeyStore, StoredKey } from '../../../ports/key-store.ts'
import { createDatabase, type DatabaseOptions } from '../database.ts'
import { toBytes, toJson } from '../json-text.ts'
import { CHANNEL, SIGNER_KEYS_CHANGED } from '../notice-payload.ts'

const TELL = `select pg_notify('${CHANNEL}', '${SIGNER_KEYS_CHANGED}')`

const LIST = {
  name: 'list_signer_keys',
  text: 'select address, key_id, sealed from signer_key order by address',
} as const

const ADD = {
  name: 'add_signer_key',
  text: `
with added as (
  insert into signer_key (address, key_id, sealed) values ($1::bytea, $2, $3::bytea)
  on conflict do nothing returning 1
)
${TELL} from added`,
} as const

const REMOVE = {
  name: 'remove_signer_key',
  text: `with removed as (delete from signer_key where address = $1::bytea returning 1) ${TELL} from removed`,
} as const

/** Only what has not changed since it was read. */
const RESEAL = {
  name: 'reseal_signer_keys',
  text: `
with given as materialized (
  select * from json_to_recordset($1::json) as g(address bytea, key_id text, sealed bytea, before bytea)
), changed as (
  update signer_key k set key_id = g.key_id, sealed = g.sealed
    from given g where k.address = g.address and k.sealed = g.before
  returning 1
), told as materialized (select pg_notify('${CHANNEL}', '${SIGNER_KEYS_CHANGED}') where exists (select from changed))
select (select count(*) from changed) as changed, (select count(*) from told) as told`,
} as const

/** Writes the table into a new file: in the old one, what was replaced would stay readable until it is overwritten. */
const SCRUB = { name: null, text: 'vacuum full signer_key' } as const

/**
 * A transaction that began before the keys were replaced can still read the old ones, and keeps them in the file.
 * So does one that writes in another database: every snapshot of the server reaches back to the oldest writer.
 */
const MARK = { name: null, text: 'select pg_current_xact_id()::xid::text as mark' } as const
const IS_CLEAR = {
  name: null,
  text: `
select not exists (
  select from (select backend_xmin as held from pg_stat_activity
                where pid <> pg_backend_pid() and (datname = current_database() or datname is null)
               union all select backend_xid from pg_stat_activity where pid <> pg_backend_pid()
               union all select transaction from pg_prepared_xacts
               union all select xmin from pg_replication_slots) older
   where age(held) > age($1::text::xid)) as clear`,
} as const
const WAIT_MS = 10_000
const LOOK_EVERY_MS = 100

interface Row {
  readonly address: Address
  readonly key_id: string
  readonly sealed: Hex
}

const POOL_SIZE = 2

interface KeyStoreOptions extends DatabaseOptions {
  /** How long `scrub` waits for older transactions to end. */
  readonly scrubWaitMs?: number
}

export function createPostgresKeyStore({ scrubWaitMs = WAIT_MS, ...options }: KeyStoreOptions): KeyStore {
  const database = createDatabase({ poolSize: POOL_SIZE, ...options })

  async function isClear(mark: string | undefined): Promise<boolean> {
    const [now] = await database.query<{ readonly clear: boolean }>(IS_CLEAR, [mark])
    return now?.clear === true
  }

  return {
    list: async () => (await database.query<Row>(LIST, [])).map(toStoredKey),
    add: async ({ address, keyId, sealed }) =>
      (await database.query(ADD, [toBytes(address), keyId, spell(sealed)])).length > 0,
    remove: async (address) => (await database.query(REMOVE, [toBytes(address)])).length > 0,
    reseal: async (keys) => {
      const rows = keys.map(({ address, keyId, sealed, before }) => ({
        address: toBytes(address),
        key_id: keyId,
        sealed: spell(sealed),
        before: spell(before),
      }))
      const [row] = await database.query<{ readonly changed: number }>(RESEAL, [toJson(rows)])
      return row?.changed ?? 0
    },
    scrub: async () => {
      const [row] = await database.query<{ readonly mark: string }>(MARK, [])
      let clear = await isClear(row?.mark)
      for (let waited = 0; !clear && waited < scrubWaitMs; waited += LOOK_EVERY_MS) {
        await pause(LOOK_EVERY_MS)
        clear = await isClear(row?.mark)
      }
      // Otherwise it could not remove everything, and would wait for that transaction while all others wait for it.
      if (clear) await database.query(SCRUB, [])
      return clear
    },
    close: database.close,
  }
}

function spell(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`
}

function toStoredKey({ address, key_id: keyId, sealed }: Row): StoredKey {
  return { address, keyId, sealed: Buffer.from(sealed.slice(2), 'hex') }
}
