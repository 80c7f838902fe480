import { expect, test } from 'vitest'
import { adviseConnection } from './advise-connection.ts'

const VARIABLE = 'DROVER_DATABASE_URL'

// The texts of PostgreSQL 15, node-postgres 8 and Node.js 20.
test.each([
  ['no pg_hba.conf entry for host "10.0.0.2", user "drover", database "drover", no encryption', '?sslmode=verify-full'],
  ['The server does not support SSL connections', 'ssl = on'],
  ['unable to verify the first certificate', '&sslrootcert='],
  ['self-signed certificate in certificate chain', '&sslrootcert='],
  ["Hostname/IP does not match certificate's altnames: Host: db. is not in the cert's altnames", 'host name'],
  ['connect ECONNREFUSED 127.0.0.1:5432', 'start it, or fix DROVER_DATABASE_URL'],
  ['password authentication failed for user "drover"', 'start it, or fix DROVER_DATABASE_URL'],
])('%s', (said, step) => {
  expect(adviseConnection(said, VARIABLE)).toContain(step)
})
