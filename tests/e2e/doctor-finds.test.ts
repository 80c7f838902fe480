/** Mistakes that people make, one at a time: `drover doctor` names exactly that one, says what to do, and exits with 1. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { developmentAccount } from '../setup/anvil.ts'
import { startCli } from '../setup/cli-terminal.ts'
import { type Ground, startGround } from '../setup/ground.ts'
import { hasProgram } from '../setup/has-program.ts'
import { writeKeystore } from '../setup/key-services.ts'
import { type PgBouncer, startPgBouncer } from '../setup/pgbouncer.ts'
import { type RpcProxy, startRpcProxy } from '../setup/rpc-proxy.ts'
import { answer, change, pass, rpcError } from '../setup/rpc-reactions.ts'

const SIGNER = developmentAccount(0)
const role = `doctor_${randomBytes(4).toString('hex')}`
/** As much of one as is needed to read it. */
const POLICY = JSON.stringify({ mayReplace: 'on_order', maxFeePerGasWei: null, lowBalanceWei: null })
const bare = `${role}_bare`

let ground: Ground
let database: Client
let proxy: RpcProxy
let stranger: Server
let keystore: string
let pgbouncer: PgBouncer | null = null

beforeAll(async () => {
  ground = await startGround({ blockTimeSeconds: 1 })
  const { database: found, chain } = ground
  database = new Client({ connectionString: found.url })
  await database.connect()
  await database.query(`create role ${role} login password 'x'; create role ${bare} login password 'x'`)
  await database.query(`grant select, insert, update, delete on all tables in schema public to ${role}`)
  await database.query(`grant usage on all sequences in schema public to ${role}`)
  await database.query(`grant select on schema_migration to ${bare}`)
  proxy = await startRpcProxy(chain.rpcUrl)
  stranger = createServer((_, response) => response.end('hello'))
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  keystore = await mkdtemp(join(tmpdir(), 'drover-doctor-'))
  await writeKeystore(keystore, 'one.json', SIGNER.privateKey, 'the right password', 4_096)
  await writeFile(join(keystore, '.password'), 'the wrong password', { mode: 0o600 })
  if (hasProgram('pgbouncer')) pgbouncer = await startPgBouncer(found.url)
})

afterAll(async () => {
  await pgbouncer?.stop()
  await rm(keystore, { recursive: true, force: true })
  stranger?.close()
  await proxy?.stop()
  await database?.end()
  await ground?.stop()
  const admin = new Client({ connectionString: inject('databaseAdminUrl') })
  await admin.connect()
  await admin.query(`drop role if exists ${role}, ${bare}`)
  await admin.end()
})

interface Finding {
  readonly check: string
  readonly status: string
  readonly detail: string
  readonly fix: string | null
}

const as = (name: string): string => {
  const url = new URL(ground.database.url)
  url.username = name
  url.password = 'x'
  return url.href
}
const hostOf = (url: string): string => new URL(url).host
const both = (url: string): string => `${ground.chain.rpcUrl},${url}`
const alter = async (change: string): Promise<void> => void (await database.query(`alter role ${role} ${change}`))

async function findFailures(env: Record<string, string>): Promise<readonly Finding[]> {
  const given = {
    DROVER_DATABASE_URL: as(role),
    DROVER_RPC_URL: ground.chain.rpcUrl,
    DROVER_SIGNER_KEYS: SIGNER.privateKey,
    DROVER_OPEN: 'true',
    DROVER_PORT: '0',
    ...env,
  }
  const { code, stdout } = await startCli(['doctor', '--json'], { env: given }).ended
  const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
  const failures = findings.filter(({ status }) => status === 'failed')
  expect(code, stdout).toBe(failures.length === 0 ? 0 : 1)
  return failures
}

interface Mistake {
  readonly name: string
  readonly env?: () => Record<string, string>
  /** Returns what undoes it. */
  readonly plant?: () => (() => unknown) | Promise<() => unknown>
  readonly check: () => string
  readonly detail: string | RegExp
  readonly fix: string | RegExp
}

const MISTAKES: readonly Mistake[] = [
  {
    name: 'the chain id is that of another chain',
    env: () => ({ DROVER_CHAIN_ID: '1' }),
    check: () => `node ${hostOf(ground.chain.rpcUrl)}`,
    detail: 'is on chain 31337, but 1 is configured',
    fix: /DROVER_CHAIN_ID/,
  },
  {
    name: 'an RPC URL leads nowhere',
    env: () => ({ DROVER_RPC_URL: both('http://127.0.0.1:9/key') }),
    check: () => 'node 127.0.0.1:9',
    detail: /^does not respond/,
    fix: /DROVER_RPC_URL/,
  },
  {
    name: 'the RPC URLs are of two chains',
    env: () => ({ DROVER_RPC_URL: both(proxy.url) }),
    plant: () => proxy.on('eth_chainId', answer('0x89')),
    check: () => 'chain id',
    detail: /^the RPC URLs lead to different chains: .* is on chain 31337, .* is on chain 137$/,
    fix: /DROVER_CHAIN_ID/,
  },
  {
    name: 'an RPC node is not in sync yet',
    env: () => ({ DROVER_RPC_URL: proxy.url }),
    plant: () => proxy.on('eth_syncing', answer({ currentBlock: '0x64', highestBlock: '0x3e8' })),
    check: () => `node ${hostOf(proxy.url)}: head`,
    detail: 'it is still syncing: 900 blocks are missing',
    fix: /in sync/,
  },
  {
    name: 'an RPC node is far behind the others',
    env: () => ({ DROVER_RPC_URL: both(proxy.url) }),
    plant: async () => {
      await ground.chain.mine(20)
      const old = await ground.chain.rpc<{ timestamp: string }>('eth_getBlockByNumber', ['0x0', false])
      const timestamp = `0x${(Number(old.timestamp) - 3_600).toString(16)}`
      return proxy.on(
        'eth_getBlockByNumber',
        change((block) => ({ ...(block as object), number: '0x1', timestamp })),
      )
    },
    check: () => `node ${hostOf(proxy.url)}: head`,
    detail: /^it is \d+ blocks \(.*\) behind /,
    fix: /in sync/,
  },
  {
    name: 'finality asks for a block that the chain does not have',
    env: () => ({ DROVER_RPC_URL: proxy.url, DROVER_FINALITY: 'finalized' }),
    plant: () =>
      proxy.on('eth_getBlockByNumber', ({ params }) =>
        params[0] === 'finalized' ? rpcError(-39_001, 'Unknown block') : pass,
      ),
    check: () => `node ${hostOf(proxy.url)}: finality`,
    detail: /^it does not know the block `finalized`/,
    fix: /DROVER_FINALITY/,
  },
  {
    name: 'the send endpoint takes no transactions',
    env: () => ({ DROVER_RPC_SEND_URL: proxy.url }),
    plant: () => proxy.on('eth_sendRawTransaction', rpcError(-32_601, 'the method does not exist')),
    check: () => `send endpoint ${hostOf(proxy.url)}`,
    detail: 'lacks eth_sendRawTransaction',
    fix: /takes transactions/,
  },
  {
    name: 'a signer sends privately, and this node has no send endpoint for it',
    plant: async () => {
      const lane = [31_337, Buffer.from(SIGNER.address.slice(2), 'hex')]
      await database.query(`insert into signer (chain_id, signer, policy) values ($1, $2, $3)`, [...lane, POLICY])
      await database.query('insert into signer_lease (chain_id, signer, sends_privately) values ($1, $2, true)', lane)
      return async () => {
        await database.query('delete from signer_lease')
        await database.query('delete from signer')
      }
    },
    check: () => `private sends of ${SIGNER.address}`,
    detail: /^this signer sends privately; this node has no send endpoint for it on chain 31337/,
    fix: /=public/,
  },
  {
    name: 'the gas oracle answers with something else',
    env: () => ({ DROVER_GAS_ORACLE_URL: `http://127.0.0.1:${(stranger.address() as AddressInfo).port}/` }),
    check: () => `gas oracle 127.0.0.1:${(stranger.address() as AddressInfo).port}`,
    detail: 'its answer is not JSON',
    fix: /DROVER_GAS_ORACLE_URL/,
  },
  {
    name: 'the database was upgraded by a newer version',
    plant: async () => {
      await database.query(`insert into schema_migration values (9999, 'later', 'x')`)
      return () => database.query('delete from schema_migration where version = 9999')
    },
    check: () => 'schema',
    detail: /^version 9999; this version of Drover knows only/,
    fix: /newer version of Drover/,
  },
  {
    name: 'the tables belong to another user, who granted nothing',
    env: () => ({ DROVER_DATABASE_URL: as(bare) }),
    check: () => 'rights',
    detail: /^the database user may not read and write \w+ and \d+ more$/,
    fix: /grant select, insert, update, delete/,
  },
  {
    name: 'the database takes no writes',
    plant: async () => {
      await alter('set default_transaction_read_only = on')
      return () => alter('reset default_transaction_read_only')
    },
    check: () => 'database',
    detail: /is read-only for this user/,
    fix: /another user/,
  },
  {
    name: 'there are too few connections for one node',
    plant: async () => {
      await alter('connection limit 25')
      return () => alter('connection limit -1')
    },
    check: () => 'connections',
    detail: 'this user may open 25 connections to the database; a node may need 40',
    fix: /CONNECTION LIMIT/,
  },
  {
    name: 'commits are acknowledged before they are stored',
    plant: async () => {
      await alter('set synchronous_commit = off')
      return () => alter('reset synchronous_commit')
    },
    check: () => 'durability',
    detail: /^synchronous_commit is off/,
    fix: 'set synchronous_commit = on',
  },
  {
    name: 'the password of the keystore is wrong',
    env: () => ({
      DROVER_SIGNER_KEYS: '',
      DROVER_KEYSTORE_DIR: keystore,
      DROVER_KEYSTORE_PASSWORD: `file:${join(keystore, '.password')}`,
    }),
    check: () => 'keys',
    detail: 'keystore one.json: the password is wrong, or the file is damaged',
    fix: /docs\/keys\.md/,
  },
  {
    name: 'other machines can call it, and there is no API key',
    env: () => ({ DROVER_HOST: '0.0.0.0' }),
    check: () => 'access',
    detail: 'Drover listens on 0.0.0.0 only with an API key, and there is none',
    fix: /drover key create/,
  },
  {
    name: 'nobody can call it: no API key, and not open',
    env: () => ({ DROVER_OPEN: 'false' }),
    check: () => 'access',
    detail: /^there is no API key/,
    fix: /drover key create/,
  },
  {
    name: 'a setting is misspelt',
    env: () => ({ DROVER_FINALTY: '3' }),
    check: () => 'configuration',
    detail: /DROVER_FINALTY/,
    fix: /drover config/,
  },
  {
    name: 'another program has the port',
    env: () => ({ DROVER_PORT: String((stranger.address() as AddressInfo).port) }),
    check: () => `service http://127.0.0.1:${(stranger.address() as AddressInfo).port}`,
    detail: 'something other than Drover responds here',
    fix: /--port/,
  },
]

test('nothing is wrong without a mistake, for a user who may only read and write', async () => {
  expect(await findFailures({})).toEqual([])
})

test.each(MISTAKES)('found: $name', async ({ env, plant, check, detail, fix }) => {
  const undo = await plant?.()
  try {
    expect(await findFailures(env?.() ?? {})).toEqual([
      { check: check(), status: 'failed', detail: matching(detail), fix: matching(fix) },
    ])
  } finally {
    await undo?.()
  }
})

test.skipIf(!hasProgram('pgbouncer'))('found: the database URL leads to PgBouncer in transaction mode', async () => {
  expect(await findFailures({ DROVER_DATABASE_URL: pgbouncer?.url ?? '' })).toEqual([
    {
      check: 'database',
      status: 'failed',
      detail: expect.stringMatching(/is a pooler in transaction mode/),
      fix: expect.stringContaining('DROVER_DATABASE_POOLER_URL'),
    },
  ])
})

const matching = (wanted: string | RegExp) => (typeof wanted === 'string' ? wanted : expect.stringMatching(wanted))
