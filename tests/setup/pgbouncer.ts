/** A real PgBouncer in transaction mode in front of a database. */
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { findFreePort } from '../../packages/dev/src/free-port.ts'
import { eventually } from './eventually.ts'

export interface PgBouncer {
  /** The database, through the pooler. */
  readonly url: string
  stop(): Promise<void>
}

export interface PgBouncerOptions {
  /** Any database of the server, not only the one in the URL. */
  readonly anyDatabase?: boolean
  /** Run on each new server connection, instead of settings of the role. */
  readonly connectQuery?: string
}

/** Few server connections, so that clients share them all the time. */
const SERVER_CONNECTIONS = 3

export async function startPgBouncer(databaseUrl: string, options: PgBouncerOptions = {}): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const name = options.anyDatabase === true ? '*' : pathname.slice(1)
  const target = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`
  const more =
    options.connectQuery === undefined ? '' : ` connect_query='${options.connectQuery.replaceAll("'", "''")}'`
  const folder = await mkdtemp(join(tmpdir(), 'drover-pgbouncer-'))
  const listenPort = await findFreePort()
  const config = join(folder, 'pgbouncer.ini')
  await writeFile(
    config,
    `[databases]
${name} = ${target}${name === '*' ? '' : ` dbname=${name}`}${more}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
server_login_retry = 1
max_client_conn = 1000
`,
  )
  // It refuses to run as root, and then has to read its file as somebody else.
  await chmod(folder, 0o755)
  const asNobody = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', [...asNobody, config], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = new URL(databaseUrl)
  url.port = String(listenPort)
  await eventually(() => answers(url.href), Boolean)
  return {
    url: url.href,
    stop: async () => {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end()
  }
}
