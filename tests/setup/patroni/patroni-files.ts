/** The files of a Patroni set on one machine: what docs/operations.md shows, with ports and folders of a test. */
import { join } from 'node:path'

export interface MemberPlan {
  readonly name: string
  readonly home: string
  readonly port: number
  /** Where the other server connects to. */
  readonly peerPort: number
  readonly restPort: number
}

interface SetPlan {
  readonly synchronous: boolean
  /** `retry_timeout` twice and `loop_wait` once have to fit into `ttl`. */
  readonly times: { readonly ttl: number; readonly loop_wait: number; readonly retry_timeout: number }
  readonly etcdPort: number
  readonly binaries: string
  readonly superuser: string
}

export function composePatroni({ name, home, port, peerPort, restPort }: MemberPlan, plan: SetPlan): string {
  const { synchronous, times, etcdPort, binaries, superuser } = plan
  return `scope: drover
name: ${name}
restapi:
  listen: 127.0.0.1:${restPort}
  connect_address: 127.0.0.1:${restPort}
etcd3:
  host: 127.0.0.1:${etcdPort}
bootstrap:
  dcs:
    ttl: ${times.ttl}
    loop_wait: ${times.loop_wait}
    retry_timeout: ${times.retry_timeout}
    maximum_lag_on_failover: ${synchronous ? 1_048_576 : 1_073_741_824}
    synchronous_mode: ${synchronous}
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 200
        wal_log_hints: "on"
  initdb:
    - encoding: UTF8
    - locale: C.UTF-8
    - auth: trust
    - no-sync
postgresql:
  listen: 127.0.0.1:${port}
  connect_address: 127.0.0.1:${peerPort}
  data_dir: ${join(home, 'data')}
  bin_dir: ${binaries}
  pgpass: ${join(home, 'pgpass')}
  authentication:
    superuser: { username: ${superuser} }
    replication: { username: ${superuser} }
  parameters:
    unix_socket_directories: ''
    fsync: "off"
  pg_hba:
    - host all all 127.0.0.1/32 trust
    - host replication all 127.0.0.1/32 trust
`
}

export function composeHaproxy(port: number, members: readonly MemberPlan[]): string {
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen drover
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${members.map(({ name, port: to, restPort }) => `  server ${name} 127.0.0.1:${to} check port ${restPort}`).join('\n')}
`
}
