/**
 * Whether a pooler in transaction mode is in the way. Two connections stay open. Behind such a pooler, one server
 * process serves both, or changes while a connection stays the same; at PostgreSQL itself, each has its own. It sets
 * nothing: other clients would meet it.
 */
import { Client } from 'pg'

const TIMEOUT_MS = 10_000
/** Other clients of a busy pooler may take the server process in between. */
const ROUNDS = 5

export async function hasSharedSessions(databaseUrl: string): Promise<boolean> {
  const [one, other] = [connect(databaseUrl), connect(databaseUrl)]
  try {
    await Promise.all([one.connect(), other.connect()])
    const first = await readProcess(one)
    for (let round = 0; round < ROUNDS; round += 1) {
      await other.query('begin')
      // Held by this transaction: the pooler has to give the first connection another one.
      const held = await readProcess(other)
      if (held === first || (await readProcess(one)) !== first) return true
      await other.query('rollback')
    }
    return false
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}

function connect(connectionString: string): Client {
  const client = new Client({
    connectionString,
    application_name: 'drover doctor',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => {})
  return client
}

async function readProcess(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return rows[0]?.pid
}
